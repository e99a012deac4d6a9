import { useEffect, useRef, useState } from "react";
import { Button } from "@/ui/button";
import { type Detector, makeDetector, newCodes, whyNoCamera } from "./camera-scan";

interface CameraProps {
  onCode: (code: string) => void;
  onClosed: () => void;
}

/** How often the picture is looked at. */
const lookEvery = 150;

/** The rear camera in a small view. It stops when it is closed, left, or out of sight. */
export default function Camera({ onCode, onClosed }: CameraProps) {
  const view = useRef<HTMLVideoElement>(null);
  const [trouble, setTrouble] = useState<string>();
  const found = useRef(onCode);
  const closed = useRef(onClosed);
  found.current = onCode;
  closed.current = onClosed;
  useEffect(() => {
    const ended = new AbortController();
    void watch(view, ended.signal, (code) => found.current(code)).catch(
      (error: unknown) => !ended.signal.aborted && setTrouble(whyNoCamera(error)),
    );
    const hidden = () => document.hidden && closed.current();
    document.addEventListener("visibilitychange", hidden);
    return () => {
      ended.abort();
      document.removeEventListener("visibilitychange", hidden);
    };
  }, []);
  return (
    <div className="mb-4 flex max-w-120 flex-col gap-2">
      {trouble ? (
        <p role="alert" className="text-warn-ink">
          {trouble}
        </p>
      ) : (
        <video
          ref={view}
          muted
          playsInline
          aria-label="Camera: hold a barcode into the view"
          className="aspect-video w-full rounded-lg border border-line bg-canvas object-cover"
        />
      )}
      <Button className="self-start max-md:h-11" onClick={onClosed}>
        {trouble ? "Close" : "Stop the camera"}
      </Button>
    </div>
  );
}

/** Opens the camera and reports codes until the signal ends it. */
async function watch(
  view: { current: HTMLVideoElement | null },
  ended: AbortSignal,
  onCode: (code: string) => void,
) {
  const detector = await makeDetector();
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: { ideal: "environment" } },
  });
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  if (ended.aborted || !view.current) return stop();
  ended.addEventListener("abort", stop);
  const video = view.current;
  video.srcObject = stream;
  await video.play();
  await look(detector, video, ended, onCode);
}

async function look(
  detector: Detector,
  video: HTMLVideoElement,
  ended: AbortSignal,
  onCode: (code: string) => void,
) {
  const lastSeen = new Map<string, number>();
  while (!ended.aborted) {
    const codes = await detector.detect(video);
    if (ended.aborted) return;
    const fresh = newCodes(
      lastSeen,
      codes.map(({ rawValue }) => rawValue),
      performance.now(),
    );
    for (const code of fresh) onCode(code);
    await new Promise((done) => setTimeout(done, lookEvery));
  }
}
