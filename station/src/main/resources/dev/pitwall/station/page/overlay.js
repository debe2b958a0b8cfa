// @ts-check
// What is drawn over the marks: names, steps, counters, flags, selection, flow and critical path.
import { duration } from './format.js';
import { PAINTS } from './palette.js';

/** @typedef {import('./timeline.js').Timeline} Timeline */
/** @typedef {import('./layout.js').Row} Row */

/** @type {Map<string, number>} width of a text at 11 px, a cache of what the font answers */
const widths = new Map();
const WIDTHS_KEPT = 20000;
const SEVERITY = /** @type {Record<string, string>} */ ({ high: '#d55e00', medium: '#e69f00', low: '#56b4e9' });

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} available @param {number} scale */
function fitted(context, text, available, scale) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > WIDTHS_KEPT) widths.clear();
    width = context.measureText(text).width / scale;
    widths.set(text, width);
  }
  if (width * scale <= available) return text;
  const letters = Math.floor((text.length * available) / (width * scale)) - 1;
  return letters < 2 ? '' : `${text.slice(0, letters)}…`;
}

/** @param {Timeline} timeline */
export function paintOverlay(timeline) {
  const { context, scale, palette } = timeline;
  context.textBaseline = 'middle';
  context.font = `${11 * scale}px system-ui, sans-serif`;
  stepLines(timeline);
  for (const label of timeline.labels) {
    const name = timeline.sections[label.run].names[label.rank].get(label.name);
    if (!name) continue;
    const text = fitted(context, name, label.end - label.x - 8 * scale, scale);
    if (!text) continue;
    context.fillStyle = palette.ink[label.kind];
    context.fillText(text, label.x + 4 * scale, label.y + label.height / 2 + 0.5);
  }
  const scroll = timeline.elements.scroller.scrollTop;
  for (const row of timeline.rows) {
    const top = (row.y - scroll) * scale;
    if (top >= timeline.raster.height || top + row.height * scale <= 0) continue;
    if (row.type === 'steps') steps(timeline, row, top);
    else if (row.type === 'flags') flags(timeline, row, top);
    else if (row.type === 'counter') counter(timeline, row, top);
  }
  if (timeline.showsCriticalPath) criticalPath(timeline);
  selection(timeline);
  if (timeline.range) range(timeline);
  if (timeline.cursor !== null) {
    context.fillStyle = palette.css.faint;
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(xOf(timeline, timeline.cursor)), 0, 1, timeline.raster.height);
    context.globalAlpha = 1;
  }
}

/** @param {Timeline} timeline @param {number} time */
export function xOf(timeline, time) {
  return (time - timeline.view.start) / timeline.nanosPerPixel();
}

/** Where a lane of a track is drawn, or null. @param {Timeline} timeline @param {number} section @param {number} track @param {number} lane */
function place(timeline, section, track, lane) {
  const row = timeline.rows.find(
    (candidate) => candidate.section === section && candidate.track?.id === track,
  );
  if (!row) return null;
  const down = row.type === 'rank' ? 4 : lane * row.lane;
  const top = (row.y - timeline.elements.scroller.scrollTop + down) * timeline.scale;
  return { y: top, height: Math.max(3, (row.lane - 1) * timeline.scale) };
}

/** The starts of each run's steps, through all of its rows. @param {Timeline} timeline */
function stepLines(timeline) {
  const { context, palette, scale } = timeline;
  const scroll = timeline.elements.scroller.scrollTop;
  context.fillStyle = palette.css.line;
  timeline.sections.forEach((section, number) => {
    const rows = timeline.rows.filter((row) => row.section === number && !row.pinned);
    const last = rows.at(-1);
    if (!last) return;
    const top = (rows[0].y - scroll) * scale;
    const bottom = number === timeline.sections.length - 1 ? timeline.raster.height : (last.y + last.height - scroll) * scale;
    for (const [start] of section.run.ranks[0]?.steps ?? []) {
      const x = Math.round(xOf(timeline, start + section.offset));
      if (x >= 0 && x < timeline.raster.width) context.fillRect(x, top, 1, bottom - top);
    }
  });
}

/** @param {Timeline} timeline @param {Row} row @param {number} top */
function steps(timeline, row, top) {
  const { context, palette, scale } = timeline;
  const section = timeline.sections[row.section];
  section.run.ranks[row.rank].steps.forEach(([start, end], step) => {
    const x = xOf(timeline, start + section.offset);
    const until = xOf(timeline, end + section.offset);
    if (until < 0 || x > timeline.raster.width) return;
    const left = Math.max(0, x);
    const width = Math.min(timeline.raster.width, until) - left - scale;
    context.fillStyle = palette.css.accent;
    context.globalAlpha = step % 2 === 0 ? 0.24 : 0.14;
    context.fillRect(left, top + 3 * scale, Math.max(1, width), (row.height - 6) * scale);
    context.globalAlpha = 1;
    if (width > 30 * scale) {
      context.fillStyle = palette.css.text;
      const text = fitted(context, `step ${step} · ${duration(end - start)}`, width - 8 * scale, scale);
      context.fillText(text, left + 5 * scale, top + (row.height / 2) * scale);
    }
  });
}

/** @param {Timeline} timeline @param {Row} row @param {number} top */
function flags(timeline, row, top) {
  const { context, palette, scale } = timeline;
  const section = timeline.sections[row.section];
  let last = -Infinity;
  for (const flag of section.flags ?? []) {
    const x = xOf(timeline, flag.start + section.offset);
    if (x < -10 || x > timeline.raster.width + 10 || x - last < 3 * scale) continue;
    last = x;
    const size = 6 * scale;
    const middle = top + (row.height / 2) * scale;
    context.fillStyle = SEVERITY[flag.severity] ?? SEVERITY.low;
    context.beginPath();
    if (flag.severity === 'high') {
      context.moveTo(x, middle + size);
      context.lineTo(x - size, middle - size);
      context.lineTo(x + size, middle - size);
    } else if (flag.severity === 'medium') {
      context.moveTo(x, middle + size);
      context.lineTo(x - size, middle);
      context.lineTo(x, middle - size);
      context.lineTo(x + size, middle);
    } else {
      context.arc(x, middle, size * 0.7, 0, Math.PI * 2);
    }
    if (flag.severity === 'opportunity') {
      context.strokeStyle = palette.css.accent;
      context.lineWidth = 2 * scale;
      context.stroke();
    } else {
      context.fill();
    }
  }
}

/** @param {Timeline} timeline @param {Row} row @param {number} top */
function counter(timeline, row, top) {
  const { context, palette, scale } = timeline;
  const section = timeline.sections[row.section];
  const series = section.counters[row.counter];
  if (!series?.times || !series.high) return;
  const bottom = top + (row.height - 3) * scale;
  const height = (row.height - 7) * scale;
  const largest = series.unit === '%' ? 100 : series.largest || 1;
  /** @param {number} value */
  const y = (value) => bottom - (Math.max(0, value) / largest) * height;
  context.beginPath();
  let x = 0;
  let level = bottom;
  context.moveTo(0, bottom);
  for (let i = 0; i < series.times.length; i++) {
    const next = xOf(timeline, series.times[i] + section.offset);
    if (next > timeline.raster.width) break;
    if (next < 0) {
      level = y(series.high[i]);
      context.lineTo(0, level);
      continue;
    }
    context.lineTo(next, level);
    level = y(series.high[i]);
    context.lineTo(next, level);
    x = next;
  }
  const end = Math.min(timeline.raster.width, xOf(timeline, section.run.duration_ns + section.offset));
  context.lineTo(Math.max(x, end), level);
  context.lineTo(Math.max(x, end), bottom);
  context.closePath();
  context.fillStyle = palette.css.accent;
  context.globalAlpha = 0.35;
  context.fill();
  context.globalAlpha = 1;
}

/** @param {Timeline} timeline */
function criticalPath(timeline) {
  const { context, scale, palette } = timeline;
  context.lineJoin = 'round';
  timeline.sections.forEach((section, number) => {
    /** @type {{ x: number, end: number, y: number, height: number }[]} */
    const boxes = [];
    let last = -Infinity;
    for (const node of section.criticalPath) {
      const x = xOf(timeline, node.start_ns + section.offset);
      const end = xOf(timeline, node.start_ns + node.dur_ns + section.offset);
      if (end < -200 || x > timeline.raster.width + 200 || end - last < 0.5) continue;
      // Along the lowest lane of each track: which lane a node nests in would only make it flicker.
      const box = place(timeline, number, node.track, 0);
      if (!box) continue;
      last = end;
      boxes.push({ x, end, ...box });
    }
    context.strokeStyle = palette.dark ? '#ffffff' : '#10151a';
    context.lineWidth = 2 * scale;
    context.beginPath();
    boxes.forEach((box, i) => {
      const middle = box.y + box.height - scale;
      if (i === 0) context.moveTo(box.x, middle);
      else context.lineTo(box.x, middle);
      context.lineTo(box.end, middle);
    });
    context.stroke();
  });
}

/** @param {Timeline} timeline */
function selection(timeline) {
  const { context, scale, palette, selected } = timeline;
  if (!selected) return;
  const number = timeline.selectedSection;
  const section = timeline.sections[number];
  if (!section) return;
  /** @param {any} slice @param {string} colour @param {number} width */
  const outline = (slice, colour, width) => {
    const box = place(timeline, number, slice.track, slice.lane);
    if (!box) return null;
    const x = xOf(timeline, slice.start_ns + section.offset);
    const end = xOf(timeline, slice.start_ns + slice.dur_ns + section.offset);
    context.strokeStyle = colour;
    context.lineWidth = width * scale;
    context.strokeRect(x - scale, box.y - scale, Math.max(3 * scale, end - x + scale), box.height + scale);
    return { x, end, middle: box.y + box.height / 2 };
  };
  /** @param {any} from @param {any} to */
  const flow = (from, to) => {
    const source = outline(from, palette.css.accent, 1.5);
    const sink = outline(to, palette.css.accent, 1.5);
    if (!source || !sink) return;
    const bend = Math.max(24 * scale, Math.abs(sink.x - source.end) / 2);
    context.beginPath();
    context.moveTo(source.end, source.middle);
    context.bezierCurveTo(
      source.end + bend, source.middle, sink.x - bend, sink.middle, sink.x, sink.middle,
    );
    context.stroke();
    context.beginPath();
    context.moveTo(sink.x, sink.middle);
    context.lineTo(sink.x - 6 * scale, sink.middle - 4 * scale);
    context.lineTo(sink.x - 6 * scale, sink.middle + 4 * scale);
    context.closePath();
    context.fillStyle = palette.css.accent;
    context.fill();
  };
  if (selected.launch) flow(selected.launch, selected);
  for (const launched of (selected.launched ?? []).slice(0, 20)) flow(selected, launched);
  if (selected.backward) flow(selected, selected.backward);
  if (selected.forward) flow(selected.forward, selected);
  outline(selected, palette.css.text, 2);
}

/** @param {Timeline} timeline */
function range(timeline) {
  const { context, palette, scale } = timeline;
  if (!timeline.range) return;
  const x = xOf(timeline, timeline.range.start);
  const end = xOf(timeline, timeline.range.end);
  context.fillStyle = palette.css.accent;
  context.globalAlpha = 0.13;
  context.fillRect(x, 0, end - x, timeline.raster.height);
  context.globalAlpha = 1;
  context.fillRect(x, 0, scale, timeline.raster.height);
  context.fillRect(end - scale, 0, scale, timeline.raster.height);
}

/** Kinds in the order of the legend. */
export const LEGEND = PAINTS.map((paint, kind) => ({ kind, name: paint.name }));
