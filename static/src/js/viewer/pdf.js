// One page of a PDF on a canvas, with the passage marked over it. PDF.js is loaded only here.
import { GlobalWorkerOptions, getDocument } from "pdfjs-dist";
import { marks } from "../lib/dom.js";

const WIDEST = 720;

/** Opens the PDF that `place` names; gives `show(page, boxes)` and the number of pages. */
export async function openPdf(place) {
  const { pdf: url, worker, assets } = place.dataset;
  GlobalWorkerOptions.workerSrc = worker;
  const file = await getDocument({
    url,
    isEvalSupported: false,
    enableXfa: false,
    cMapUrl: `${assets}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${assets}standard_fonts/`,
    wasmUrl: `${assets}wasm/`,
    iccUrl: `${assets}iccs/`,
    disableAutoFetch: true,
  }).promise;

  let zoom = 1;
  let drawing = null;

  async function show(number, boxes) {
    place.setAttribute("aria-busy", "true");
    const page = await file.getPage(number);
    const natural = page.getViewport({ scale: 1 });
    const width = Math.min(WIDEST, roomFor(place)) * zoom;
    const viewport = page.getViewport({ scale: width / natural.width });
    const canvas = await draw(page, viewport);
    place.replaceChildren(canvas, marks(boxes));
    place.removeAttribute("aria-busy");
    place.dataset.shown = number;
  }

  async function draw(page, viewport) {
    drawing?.cancel();
    const density = Math.min(2, window.devicePixelRatio || 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.floor(viewport.width * density);
    canvas.height = Math.floor(viewport.height * density);
    canvas.style.width = `${Math.floor(viewport.width)}px`;
    canvas.style.height = `${Math.floor(viewport.height)}px`;
    drawing = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
    await drawing.promise;
    drawing = null;
    return canvas;
  }

  return {
    pages: file.numPages,
    show,
    zoomIn() { zoom = Math.min(3, zoom * 1.25); },
    fit() { zoom = 1; },
  };
}

function roomFor(place) {
  const scroll = place.parentElement;
  const style = getComputedStyle(scroll);
  return scroll.clientWidth - Number.parseFloat(style.paddingInlineStart) - Number.parseFloat(style.paddingInlineEnd) - 2;
}
