import type { CreateClientConfig } from "../api/client.gen";

// The session is a same-origin cookie, and it is never sent to another host.
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: "",
  credentials: "same-origin",
});
