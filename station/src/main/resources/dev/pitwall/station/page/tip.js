// @ts-check
// What lies under the pointer, in words.
import { bytes, count, duration, plain } from './format.js';
import { PAINTS } from './palette.js';

/** @typedef {import('./timeline.js').Timeline} Timeline */
/** @typedef {import('./layout.js').Row} Row */

const FLAG_SLACK_PIXELS = 8;

/** A number of a counter with its unit. @param {number} value @param {string} unit */
export function amount(value, unit) {
  return unit === 'bytes' ? bytes(value) : `${Number.isInteger(value) ? count(value) : plain(value)}\u00a0${unit}`.trim();
}

/** @param {Timeline} timeline @param {number} x @param {number} y CSS pixels in the canvas @returns {[string, string] | null} a name, and what is to be said of it */
export function tipAt(timeline, x, y) {
  const row = timeline.rowAt(x, y);
  if (!row) return null;
  const section = timeline.sections[row.section];
  const time = timeline.timeAt(x) - section.offset;
  if (row.type === 'counter') return ofCounter(section.counters[row.counter], row, time);
  if (row.type === 'flags') {
    const slack = timeline.nanosPerPixel() * timeline.scale * FLAG_SLACK_PIXELS;
    const flag = (section.flags ?? []).find((each) => Math.abs(each.start - time) < slack);
    return flag ? [flag.title, `${flag.severity}${flag.severity === 'opportunity' ? '' : ' finding'}, click to open it`] : null;
  }
  if (row.type === 'steps') {
    const steps = section.run.ranks[row.rank].steps;
    const step = steps.findIndex(([start, end]) => time >= start && time < end);
    return step < 0 ? null : [`step ${step}`, duration(steps[step][1] - steps[step][0], 4)];
  }
  const hit = timeline.hit(x, y);
  if (!hit) return null;
  const name = section.names[hit.rank].full(hit.nameId);
  const paint = PAINTS[hit.kind]?.name ?? '';
  return hit.count > 1
    ? [`${hit.count} slices`, `the longest: ${name}`]
    : [name, `${duration(hit.end - hit.start, 4)} · ${paint} · from ${duration(hit.start, 6)}`];
}

/** @param {import('./layout.js').Counter | undefined} series @param {Row} row @param {number} time @returns {[string, string] | null} */
function ofCounter(series, row, time) {
  if (!series?.times || !series.high) return null;
  let at = -1;
  while (at + 1 < series.times.length && series.times[at + 1] <= time) at++;
  return at < 0 ? null : [row.label, `${amount(series.high[at], series.unit)} at ${duration(time, 5)}`];
}
