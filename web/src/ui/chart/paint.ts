import { shorten, textWidth } from "./geometry";
import { fontSize, type Ink, type LegendItem, type Scene, type Shape } from "./scene";

const edge = 16;
const rowHeight = 20;

export interface Picture {
  width: number;
  height: number;
  /** Shapes with their offset. */
  layers: { x: number; y: number; shapes: Shape[] }[];
}

/** A chart with its title and legend, which are not part of the scene on the page. */
export function pictureOf(scene: Scene, title: string, legend: readonly LegendItem[]): Picture {
  const width = scene.width + 2 * edge;
  const layers: Picture["layers"] = [];
  const text = (words: string, ink: Ink): Shape => ({
    kind: "text",
    x: 0,
    y: fontSize,
    text: words,
    anchor: "start",
    ink,
  });
  layers.push({ x: edge, y: edge, shapes: [text(shorten(title, scene.width), "ink")] });
  let [x, y] = [edge, edge + rowHeight];
  for (const { label, shapes } of legend) {
    const taken = 26 + textWidth(label) + 16;
    if (x > edge && x + taken > width - edge) [x, y] = [edge, y + rowHeight];
    layers.push({ x, y: y + 2, shapes }, { x: x + 26, y, shapes: [text(label, "muted")] });
    x += taken;
  }
  if (legend.length > 0) y += rowHeight;
  layers.push({ x: edge, y, shapes: scene.shapes });
  return { width, height: y + scene.height + edge, layers };
}

/** A PNG file in the page's current colours, at twice the size. */
export async function paint(picture: Picture): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * 2;
  canvas.height = picture.height * 2;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser cannot draw pictures.");
  const style = getComputedStyle(document.documentElement);
  const color = (ink: Ink) => style.getPropertyValue(`--${ink}`).trim();
  context.scale(2, 2);
  context.fillStyle = color("surface");
  context.fillRect(0, 0, picture.width, picture.height);
  context.font = `${fontSize}px ${style.fontFamily}`;
  context.lineJoin = "round";
  context.lineCap = "round";
  for (const { x, y, shapes } of picture.layers) {
    context.save();
    context.translate(x, y);
    for (const shape of shapes) draw(context, shape, color);
    context.restore();
  }
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture is too large.")))),
  );
}

function draw(context: CanvasRenderingContext2D, shape: Shape, color: (ink: Ink) => string) {
  if (shape.kind === "text") {
    context.textAlign = shape.anchor === "middle" ? "center" : shape.anchor;
    if (shape.rim) {
      context.strokeStyle = color("surface");
      context.lineWidth = 3;
      context.setLineDash([]);
      context.strokeText(shape.text, shape.x, shape.y);
    }
    context.fillStyle = color(shape.ink);
    context.fillText(shape.text, shape.x, shape.y);
    return;
  }
  const path = new Path2D(shape.d);
  context.globalAlpha = shape.opacity ?? 1;
  if (shape.fill) {
    context.fillStyle = color(shape.fill);
    context.fill(path);
  }
  if (shape.stroke) {
    context.strokeStyle = color(shape.stroke);
    context.lineWidth = shape.width ?? 1;
    context.setLineDash(shape.dash?.split(" ").map(Number) ?? []);
    context.stroke(path);
  }
  context.globalAlpha = 1;
}
