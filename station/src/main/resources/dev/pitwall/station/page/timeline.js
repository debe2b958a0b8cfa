// @ts-check
import { getJson } from './api.js';
import { duration, plain } from './format.js';
import { layOut, trackKey } from './layout.js';
import { Palette } from './palette.js';
import { Raster } from './raster.js';
import { TILE_BITS, bitsFor } from './tiles.js';
import { Gestures } from './gestures.js';
import { paintOverlay } from './overlay.js';
import { paintTop } from './ruler.js';

/**
 * @typedef {import('./layout.js').Section} Section
 * @typedef {import('./layout.js').Row} Row
 * @typedef {import('./raster.js').Label} Label
 * @typedef {{ start: number, end: number }} Span
 * @typedef {import('./layout.js').Choice} Choice
 */

/**
 * A mark under the pointer.
 * @typedef {{ section: number, rank: number, track: number, lane: number, row: number,
 *   nameId: number, count: number, kind: number, start: number, end: number }} Hit
 */

/**
 * What the page is told.
 * @typedef {{ onSelect: (hit: Hit) => void, onClear: () => void, onRange: (range: Span | null) => void,
 *   onView: (view: Span) => void, onHover: (inside: boolean, x: number, y: number) => void,
 *   onFlag: (section: number, finding: number) => void, onLayout: (rows: Row[]) => void }} Listener
 */

const SHORTEST_VIEW_NANOS = 200;
const MAXIMUM_LABELS = 450;
const LABEL_FROM = 34;
const FRAMES_KEPT = 512;

/** The canvas: a view of one or more runs, and what is selected in it. */
export class Timeline {
  /**
   * @param {{ host: HTMLElement, scroller: HTMLElement, content: HTMLElement, canvas: HTMLCanvasElement, top: HTMLCanvasElement }} elements
   * @param {Listener} listener
   */
  constructor(elements, listener) {
    this.elements = elements;
    this.listener = listener;
    /** @type {Section[]} */
    this.sections = [];
    /** @type {Span} */
    this.view = { start: 0, end: 1 };
    /** @type {Choice} */
    this.choice = { pinned: new Set(), hidden: new Set(), toggled: new Set(), folded: new Set() };
    /** @type {Row[]} */
    this.rows = [];
    this.height = 0;
    this.palette = Palette.current();
    this.scale = 1;
    this.raster = new Raster(1, 1);
    this.context = /** @type {CanvasRenderingContext2D} */ (
      elements.canvas.getContext('2d', { alpha: false, willReadFrequently: true })
    );
    this.topContext = /** @type {CanvasRenderingContext2D} */ (
      elements.top.getContext('2d', { alpha: false, willReadFrequently: true })
    );
    this.topRaster = new Raster(1, 1);
    /** @type {any} the selected slice with its links, as the station describes it */
    this.selected = null;
    this.selectedSection = 0;
    /** @type {Span | null} */
    this.range = null;
    /** @type {number | null} */
    this.cursor = null;
    /** @type {{ section: number, start: number, row: number }[]} */
    this.hits = [];
    this.showsCriticalPath = false;
    /** @type {Label[]} */
    this.labels = [];
    this.scheduled = false;
    /** @type {Float32Array} milliseconds of the last frames, oldest overwritten */
    this.frameMillis = new Float32Array(FRAMES_KEPT);
    this.frames = 0;
    this.counterTimer = 0;
    /** @type {Span | null} */
    this.target = null;
    this.still = matchMedia('(prefers-reduced-motion: reduce)');
    this.gestures = new Gestures(this);
    this.resizes = new ResizeObserver(() => this.resize());
    this.resizes.observe(elements.scroller);
    elements.scroller.addEventListener('scroll', () => this.invalidate(), { passive: true });
    this.resize();
  }

  /** @param {Section[]} sections @param {Span} [view] */
  show(sections, view) {
    this.sections = sections;
    this.relayout();
    this.setView(view ?? this.whole());
    this.requestCounters();
  }

  /** @returns {Span} */
  whole() {
    let start = 0;
    let end = 1;
    this.sections.forEach((section, i) => {
      start = i === 0 ? section.offset : Math.min(start, section.offset);
      end = Math.max(end, section.offset + section.run.duration_ns);
    });
    const margin = (end - start) * 0.01;
    return { start: start - margin, end: end + margin };
  }

  relayout() {
    const { rows, height } = layOut(this.sections, this.choice);
    this.rows = rows;
    this.height = height;
    this.elements.content.style.height = `${height + 24}px`;
    this.listener.onLayout(rows);
    this.invalidate();
  }

  /** Reads the colours anew after a change of scheme. */
  recolour() {
    this.palette = Palette.current();
    this.invalidate();
  }

  resize() {
    const { canvas, top, scroller } = this.elements;
    this.scale = Math.min(2, devicePixelRatio || 1);
    const width = Math.max(1, Math.floor(canvas.clientWidth * this.scale));
    const height = Math.max(1, Math.floor(scroller.clientHeight * this.scale));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.height = `${scroller.clientHeight}px`;
      this.raster = new Raster(width, height);
    }
    const topHeight = Math.max(1, Math.floor(top.clientHeight * this.scale));
    if (top.width !== width || top.height !== topHeight) {
      top.width = width;
      top.height = topHeight;
      this.topRaster = new Raster(width, Math.max(1, Math.floor(topHeight / 2)));
    }
    this.invalidate();
  }

  invalidate() {
    if (!this.scheduled) {
      this.scheduled = true;
      requestAnimationFrame(() => this.frame());
    }
  }

  /** @param {Span} view */
  setView(view) {
    const whole = this.whole();
    const length = Math.min(
      Math.max(view.end - view.start, SHORTEST_VIEW_NANOS),
      (whole.end - whole.start) * 1.02,
    );
    let start = view.start + (view.end - view.start - length) / 2;
    start = Math.max(whole.start - length * 0.5, Math.min(whole.end - length * 0.5, start));
    this.view = { start, end: start + length };
    this.listener.onView(this.view);
    this.requestCounters();
    this.invalidate();
  }

  /** Moves there over a few frames, or at once where the user wants no motion. @param {Span} view */
  glide(view) {
    if (this.still.matches) {
      this.setView(view);
      return;
    }
    this.target = view;
    this.invalidate();
  }

  /** @param {number} factor below 1 zooms in @param {number} [at] share of the width kept in place */
  zoom(factor, at = 0.5) {
    this.target = null;
    const { start, end } = this.view;
    const fixed = start + (end - start) * at;
    this.setView({ start: fixed - (fixed - start) * factor, end: fixed + (end - fixed) * factor });
  }

  /** @param {number} share of the width */
  pan(share) {
    this.target = null;
    const by = (this.view.end - this.view.start) * share;
    this.setView({ start: this.view.start + by, end: this.view.end + by });
  }

  /** Brings a slice into the middle. @param {number} section @param {number} track @param {number} lane @param {number} start @param {number} length */
  centre(section, track, lane, start, length) {
    const middle = start + length / 2 + this.sections[section].offset;
    const now = this.view.end - this.view.start;
    const wide = Math.max(length * 6, SHORTEST_VIEW_NANOS * 20);
    const span = length > now / 3 || length < now / 120 ? wide : now;
    this.reveal(section, track, lane, true);
    this.glide({ start: middle - span / 2, end: middle + span / 2 });
  }

  /** Scrolls a lane into sight. @param {number} section @param {number} track @param {number} lane @param {boolean} [whole] unfold its rank even where the line that is left of it holds the track */
  reveal(section, track, lane, whole = false) {
    const key = trackKey(section, track);
    if (this.choice.hidden.delete(key)) this.relayout();
    let row =
      this.rows.find((candidate) => candidate.key === key) ??
      (whole
        ? undefined
        : this.rows.find((candidate) => candidate.section === section && candidate.track?.id === track));
    const folded = `s${section}r${this.sections[section].run.tracks[track].rank}`;
    if (!row && this.choice.folded.delete(folded)) {
      this.relayout();
      row = this.rows.find((candidate) => candidate.key === key);
    }
    if (!row) return;
    const { scroller } = this.elements;
    const top = row.y + (row.type === 'rank' ? 0 : lane * row.lane);
    if (top < scroller.scrollTop + 20 || top > scroller.scrollTop + scroller.clientHeight - 60) {
      scroller.scrollTop = Math.max(0, top - scroller.clientHeight / 2);
    }
  }

  /** @param {number} x CSS pixels from the canvas's left */
  timeAt(x) {
    const share = x / Math.max(1, this.elements.canvas.clientWidth);
    return this.view.start + (this.view.end - this.view.start) * share;
  }

  nanosPerPixel() {
    return (this.view.end - this.view.start) / this.raster.width;
  }

  /** @param {number} x @param {number} y CSS pixels in the canvas @returns {Row | undefined} */
  rowAt(x, y) {
    const at = y + this.elements.scroller.scrollTop;
    return this.rows.find((row) => at >= row.y && at < row.y + row.height);
  }

  /** @param {number} x @param {number} y CSS pixels in the canvas @returns {Hit | null} */
  hit(x, y) {
    const row = this.rowAt(x, y);
    if (!row?.track) return null;
    const lane = row.type === 'rank' ? 0 : Math.floor((y + this.elements.scroller.scrollTop - row.y) / row.lane);
    if (lane >= row.track.lanes) return null;
    const section = this.sections[row.section];
    const nanos = this.nanosPerPixel();
    const time = this.timeAt(x) - section.offset;
    const slack = nanos * this.scale * 2;
    for (let bits = bitsFor(nanos); bits <= section.tiles.rootBits; bits++) {
      const width = 2 ** (bits + TILE_BITS);
      const index = Math.floor(time / width);
      const tile = section.tiles.get(bits, row.track.id, index);
      if (!tile) continue;
      if (lane + 1 >= tile.laneFrom.length) return null;
      let best = -1;
      let distance = slack;
      for (let i = tile.laneFrom[lane]; i < tile.laneFrom[lane + 1]; i++) {
        const from = (index + tile.start[i]) * width;
        const to = (index + tile.end[i]) * width;
        if (from - time > slack) break;
        const away = time < from ? from - time : time > to ? time - to : 0;
        if (away <= distance) {
          best = i;
          distance = away;
        }
      }
      if (best < 0) return null;
      return {
        section: row.section,
        rank: row.track.rank,
        track: row.track.id,
        lane,
        row: tile.row[best],
        nameId: tile.name[best],
        count: tile.count[best],
        kind: tile.kind[best],
        start: (index + tile.start[best]) * width,
        end: (index + tile.end[best]) * width,
      };
    }
    return null;
  }

  /** Fetches the counters of the view; at once where none has come yet. */
  requestCounters() {
    if (this.counterTimer || this.sections.every((section) => section.counters.length === 0)) return;
    this.counterTimer = window.setTimeout(async () => {
      this.counterTimer = 0;
      const margin = (this.view.end - this.view.start) * 0.5;
      for (const section of this.sections) {
        if (section.counters.length === 0) continue;
        section.counters = await getJson('/api/counters', {
          run: section.run.id,
          from: Math.max(0, Math.floor(this.view.start - margin - section.offset)),
          to: Math.ceil(Math.max(0, this.view.end + margin - section.offset)),
          slots: 1600,
        });
        this.invalidate();
      }
    }, this.sections.some((section) => section.counters[0]?.times) ? 120 : 0);
  }

  frame() {
    this.scheduled = false;
    const began = performance.now();
    if (this.target) this.step(this.target);
    if (this.raster.width > 1) {
      this.paint();
      paintTop(this);
    }
    this.frameMillis[this.frames++ % FRAMES_KEPT] = performance.now() - began;
    for (const section of this.sections) for (const names of section.names) names.fetchWanted();
  }

  /** One step of a glide: a third of the way, the last bit at once. @param {Span} target */
  step(target) {
    const { start, end } = this.view;
    const near = Math.abs(end - start) * 0.002 + 1;
    const arrived =
      Math.abs(target.start - start) < near && Math.abs(target.end - end) < near;
    if (arrived) {
      this.target = null;
      this.setView(target);
      return;
    }
    // The logarithm of the length moves evenly, so that zooming in does not rush past.
    const share = 0.3;
    const from = end - start;
    const to = target.end - target.start;
    const length = from * (to / from) ** share;
    const goal = (target.start + target.end) / 2;
    const now = (start + end) / 2;
    const left = from === to ? 1 - share : Math.abs((length - to) / (from - to));
    const middle = goal + (now - goal) * Math.min(1 - share * 0.5, left);
    this.setView({ start: middle - length / 2, end: middle + length / 2 });
    this.target = target;
  }

  paint() {
    const { raster, palette, scale } = this;
    const scroll = this.elements.scroller.scrollTop;
    const nanos = this.nanosPerPixel();
    const bits = bitsFor(nanos);
    raster.clear(palette.background);
    this.labels.length = 0;
    /** @type {number[][]} */
    const visible = this.sections.map(() => []);
    for (const row of this.rows) {
      const top = (row.y - scroll) * scale;
      const height = row.height * scale;
      if (top >= raster.height || top + height <= 0) continue;
      if (row.type === 'section' || row.type === 'rank') {
        raster.fill(0, top, raster.width, height, palette.raised);
      }
      if (row.track) {
        visible[row.section].push(row.track.id);
        this.paintTrack(row, Math.round(row.type === 'rank' ? top + 4 * scale : top), bits, nanos);
      }
    }
    this.context.putImageData(raster.image, 0, 0);
    paintOverlay(this);
    const width = 2 ** (bits + TILE_BITS);
    this.sections.forEach((section, number) => {
      section.tiles.tick();
      const all = section.run.tracks.map((track) => track.id);
      section.tiles.want(all, section.tiles.rootBits, 0, 0);
      section.tiles.want(
        visible[number],
        Math.min(bits, section.tiles.rootBits),
        Math.floor((this.view.start - section.offset) / width),
        Math.floor((this.view.end - section.offset) / width),
      );
    });
  }

  /** @param {Row} row @param {number} top @param {number} bits @param {number} nanos */
  paintTrack(row, top, bits, nanos) {
    const { raster, palette, scale } = this;
    const section = this.sections[row.section];
    const track = /** @type {import('./layout.js').Track} */ (row.track);
    const view = { start: this.view.start - section.offset, nanosPerPixel: nanos };
    const laneHeight = row.lane * scale;
    const lanes = row.type === 'rank' ? 1 : track.lanes;
    const ground = row.type === 'rank' ? palette.raised : palette.background;
    const gap = row.lane > 8 ? Math.max(1, Math.round(scale)) : row.lane > 4 ? 1 : 0;
    const labelFrom = row.lane > 12 ? LABEL_FROM * scale : Infinity;
    for (let lane = 0; lane < lanes; lane++) {
      const y = Math.round(top + lane * laneHeight);
      const height = Math.round(top + (lane + 1) * laneHeight) - y - gap;
      if (y >= raster.height) break;
      if (y + height <= 0) continue;
      raster.lane(
        section.tiles, track.id, lane, view, Math.min(bits, section.tiles.rootBits), y, height,
        palette, ground, labelFrom,
        (x, end, name, kind) => {
          if (this.labels.length < MAXIMUM_LABELS) {
            this.labels.push({
              x, end, y, height, name, kind, rank: track.rank, run: row.section,
            });
          }
        },
      );
    }
  }

  /** Median and 95th percentile of the last frames' own work, in milliseconds. */
  frameStatistics() {
    const kept = [...this.frameMillis.slice(0, Math.min(this.frames, FRAMES_KEPT))].sort(
      (a, b) => a - b,
    );
    return {
      frames: this.frames,
      median: kept[kept.length >> 1] ?? 0,
      p95: kept[Math.floor(kept.length * 0.95)] ?? 0,
      painted: this.raster.painted,
    };
  }

  /** A sentence about what is in view, for screen readers. */
  describe() {
    const tracks = this.rows.filter((row) => row.type === 'track').length;
    return `Showing ${duration(this.view.end - this.view.start)} from ${plain(this.view.start / 1e6)} ms, ${tracks} tracks.`;
  }

  dispose() {
    this.resizes.disconnect();
    this.gestures.dispose();
  }
}
