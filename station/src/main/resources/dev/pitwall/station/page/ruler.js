// @ts-check
// The strip above the canvas: the whole run with the view in it, and the axis.
import { duration } from './format.js';
import { busiest } from './layout.js';
import { xOf } from './overlay.js';

/** @typedef {import('./timeline.js').Timeline} Timeline */

/** @param {number} least the step must be at least so long @returns {number} 1, 2 or 5 times a power of ten */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

/** @param {Timeline} timeline */
export function paintTop(timeline) {
  const context = timeline.topContext;
  const { palette, scale } = timeline;
  const width = timeline.elements.top.width;
  const height = timeline.elements.top.height;
  const half = Math.floor(height / 2);
  context.fillStyle = palette.css.raised;
  context.fillRect(0, 0, width, height);
  overview(timeline, half);
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  const nanos = timeline.nanosPerPixel();
  const step = niceStep(nanos * 110 * scale);
  const first = Math.ceil(timeline.view.start / step) * step;
  for (let time = first; time < timeline.view.end; time += step) {
    const x = Math.round(xOf(timeline, time));
    context.fillStyle = palette.css.line;
    context.fillRect(x, half, 1, half);
    context.fillStyle = palette.css.faint;
    context.fillText(axisText(time, step), x + 4 * scale, half + half / 2);
  }
  if (timeline.range) {
    const x = xOf(timeline, timeline.range.start);
    const end = xOf(timeline, timeline.range.end);
    context.fillStyle = palette.css.accent;
    context.globalAlpha = 0.3;
    context.fillRect(x, half, end - x, half);
    context.globalAlpha = 1;
    context.fillStyle = palette.css.text;
    context.fillText(duration(timeline.range.end - timeline.range.start), x + 4 * scale, half + half / 2);
  }
}

/** @param {number} time @param {number} step */
function axisText(time, step) {
  if (Math.abs(time) < step / 2) return '0';
  const digits = Math.max(3, Math.ceil(Math.log10(Math.abs(time) / step)) + 1);
  return duration(time, Math.min(12, digits));
}

/** @param {Timeline} timeline @param {number} half */
function overview(timeline, half) {
  const context = timeline.topContext;
  const { palette, scale, topRaster } = timeline;
  const whole = timeline.whole();
  const width = topRaster.width;
  topRaster.clear(palette.raised);
  const lines = timeline.sections.length;
  const height = Math.floor((half - 4 * scale) / Math.max(1, lines));
  timeline.sections.forEach((section, number) => {
    const shown = busiest(section.run.tracks);
    if (!shown) return;
    const view = {
      start: whole.start - section.offset,
      nanosPerPixel: (whole.end - whole.start) / width,
    };
    topRaster.lane(
      section.tiles, shown.id, 0, view, section.tiles.rootBits,
      Math.round(2 * scale + number * height), height - 1, palette, palette.raised, Infinity,
      () => {},
    );
  });
  context.putImageData(topRaster.image, 0, 0);
  /** @param {number} time */
  const x = (time) => ((time - whole.start) / (whole.end - whole.start)) * width;
  const from = x(timeline.view.start);
  const to = Math.max(from + 3 * scale, x(timeline.view.end));
  context.fillStyle = palette.css.raised;
  context.globalAlpha = 0.62;
  context.fillRect(0, 0, Math.max(0, from), half);
  context.fillRect(to, 0, Math.max(0, width - to), half);
  context.globalAlpha = 1;
  context.strokeStyle = palette.css.accent;
  context.lineWidth = 1.5 * scale;
  context.strokeRect(from, scale, to - from, half - 2 * scale);
  context.fillStyle = palette.css.accent;
  for (const hit of timeline.hits.slice(0, 2000)) {
    context.fillRect(x(hit.start + timeline.sections[hit.section].offset), half - 4 * scale, scale, 4 * scale);
  }
}

