import { toApiError, unreachable } from "./problem";

interface UploadOptions {
  signal?: AbortSignal;
  /** The share of the file that is sent, from 0 to 1. */
  onProgress?: (share: number) => void;
}

/**
 * Sends a file and returns the answer. Not by fetch, which reports no progress: an upload may take
 * minutes.
 */
export function upload<T>(address: string, file: Blob, { signal, onProgress }: UploadOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", address);
    call.setRequestHeader("Content-Type", "application/octet-stream");
    call.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress?.(event.loaded / event.total);
    };
    call.onload = () => {
      const body = readJson(call.responseText);
      if (call.status >= 200 && call.status < 300) resolve(body as T);
      else reject(toApiError(body, answered(call)));
    };
    call.onerror = () => reject(unreachable(new Error("The connection was lost")));
    call.onabort = () => reject(new DOMException("The upload was stopped", "AbortError"));
    signal?.addEventListener("abort", () => call.abort());
    call.send(file);
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy answered
  }
}

function answered(call: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ["x-request-id", "retry-after"]) {
    const value = call.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(null, { status: call.status, headers });
}
