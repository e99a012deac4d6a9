import { useEffect, useState } from "react";

const behindHash = () => location.hash.slice(1);

/**
 * The token behind the # of a link. It is taken out of the address bar: whoever sees the
 * screen, the history or a shared address must not be able to use it.
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
    // Another link opened in the same tab loads no page.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return token;
}
