import { useEffect, useState } from "react";

const behindHash = () => location.hash.slice(1);

/**
 * The token after the # of a link. It is removed from the address bar, so that nobody can take it
 * from the screen, the history or a shared address.
 */
export function useLinkToken(): string {
  const [token, setToken] = useState(behindHash);
  useEffect(() => {
    function take() {
      if (!behindHash()) return;
      setToken(behindHash());
      history.replaceState(history.state, "", location.pathname + location.search);
    }
    take();
    // Opening another link in the same tab changes only the hash and does not reload the page.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return token;
}
