// @ts-check
// Pointer, wheel and touch on the timeline. Keys are in keys.js.

/** @typedef {import('./timeline.js').Timeline} Timeline */

const CLICK_SLACK = 4;
const WHEEL_ZOOM = 0.0016;

export class Gestures {
  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {Map<number, { x: number, y: number }>} */
    this.pointers = new Map();
    this.moved = 0;
    /** @type {'pan' | 'range' | 'pinch' | 'overview' | null} */
    this.mode = null;
    this.anchor = 0;
    this.spread = 0;
    this.stops = new AbortController();
    const { canvas, top } = timeline.elements;
    const options = { signal: this.stops.signal };
    canvas.addEventListener('wheel', (event) => this.wheel(event), { ...options, passive: false });
    top.addEventListener('wheel', (event) => this.wheel(event), { ...options, passive: false });
    for (const element of [canvas, top]) {
      element.addEventListener('pointerdown', (event) => this.down(event), options);
      element.addEventListener('pointermove', (event) => this.move(event), options);
      element.addEventListener('pointerup', (event) => this.up(event), options);
      element.addEventListener('pointercancel', (event) => this.cancel(event), options);
      element.addEventListener('pointerleave', () => this.leave(), options);
    }
    canvas.addEventListener('dblclick', (event) => this.double(event), options);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const { timeline } = this;
    const box = timeline.elements.canvas.getBoundingClientRect();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (sideways) {
      timeline.pan(((event.deltaX || event.deltaY) * unit) / box.width);
      return;
    }
    const factor = Math.exp(Math.max(-240, Math.min(240, event.deltaY * unit)) * WHEEL_ZOOM);
    timeline.zoom(factor, (event.clientX - box.left) / box.width);
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    const { timeline } = this;
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    target.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
    timeline.target = null;
    if (this.pointers.size === 2) {
      this.mode = 'pinch';
      this.spread = this.distance();
      return;
    }
    const onTop = target === timeline.elements.top;
    const box = timeline.elements.top.getBoundingClientRect();
    if (onTop && event.clientY - box.top < box.height / 2) {
      this.mode = 'overview';
      this.jump(event);
    } else if (onTop || event.shiftKey) {
      this.mode = 'range';
      this.anchor = timeline.timeAt(event.clientX - box.left);
    } else {
      this.mode = 'pan';
    }
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { timeline } = this;
    const box = timeline.elements.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const last = this.pointers.get(event.pointerId);
    if (!last) {
      timeline.cursor = timeline.timeAt(x);
      const inside = event.currentTarget === timeline.elements.canvas;
      timeline.listener.onHover(inside, x, y);
      timeline.invalidate();
      return;
    }
    const byX = event.clientX - last.x;
    const byY = event.clientY - last.y;
    this.moved += Math.abs(byX) + Math.abs(byY);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.mode === 'pinch') {
      const spread = this.distance();
      const centre = this.centreX() - box.left;
      if (spread > 10) timeline.zoom(this.spread / spread, centre / box.width);
      this.spread = Math.max(10, spread);
    } else if (this.mode === 'overview') {
      this.jump(event);
    } else if (this.moved < CLICK_SLACK) {
      return;
    } else if (this.mode === 'range') {
      const time = timeline.timeAt(x);
      timeline.range = { start: Math.min(this.anchor, time), end: Math.max(this.anchor, time) };
      timeline.listener.onHover(false, 0, 0);
      timeline.invalidate();
    } else if (this.mode === 'pan') {
      timeline.pan(-byX / box.width);
      timeline.elements.scroller.scrollTop -= byY;
      timeline.listener.onHover(false, 0, 0);
    }
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { timeline } = this;
    const mode = this.mode;
    this.cancel(event);
    if (mode === 'range') {
      if (this.moved < CLICK_SLACK) timeline.range = null;
      timeline.listener.onRange(timeline.range);
      timeline.invalidate();
    } else if (mode === 'pan' && this.moved < CLICK_SLACK) {
      const box = timeline.elements.canvas.getBoundingClientRect();
      this.click(event.clientX - box.left, event.clientY - box.top);
    }
  }

  /** @param {number} x @param {number} y */
  click(x, y) {
    const { timeline } = this;
    const row = timeline.rowAt(x, y);
    if (row?.type === 'flags') {
      const section = timeline.sections[row.section];
      const time = timeline.timeAt(x) - section.offset;
      let best = null;
      let distance = timeline.nanosPerPixel() * timeline.scale * 12;
      for (const flag of section.flags ?? []) {
        if (Math.abs(flag.start - time) < distance) {
          best = flag;
          distance = Math.abs(flag.start - time);
        }
      }
      if (best) timeline.listener.onFlag(row.section, best.finding);
      return;
    }
    const hit = timeline.hit(x, y);
    if (hit) timeline.listener.onSelect(hit);
    else timeline.listener.onClear();
  }

  /** @param {MouseEvent} event */
  double(event) {
    const { timeline } = this;
    const box = timeline.elements.canvas.getBoundingClientRect();
    const hit = timeline.hit(event.clientX - box.left, event.clientY - box.top);
    if (hit) {
      const offset = timeline.sections[hit.section].offset;
      const margin = (hit.end - hit.start) * 0.1;
      timeline.glide({ start: hit.start - margin + offset, end: hit.end + margin + offset });
    }
  }

  /** @param {PointerEvent} event */
  jump(event) {
    const { timeline } = this;
    const box = timeline.elements.top.getBoundingClientRect();
    const whole = timeline.whole();
    const share = (event.clientX - box.left) / box.width;
    const middle = whole.start + (whole.end - whole.start) * share;
    const half = (timeline.view.end - timeline.view.start) / 2;
    timeline.setView({ start: middle - half, end: middle + half });
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.mode = this.pointers.size === 0 ? null : 'pan';
  }

  leave() {
    this.timeline.cursor = null;
    this.timeline.listener.onHover(false, 0, 0);
    this.timeline.invalidate();
  }

  distance() {
    const [a, b] = [...this.pointers.values()];
    return b ? Math.hypot(a.x - b.x, a.y - b.y) : 1;
  }

  centreX() {
    const [a, b] = [...this.pointers.values()];
    return b ? (a.x + b.x) / 2 : a.x;
  }

  dispose() {
    this.stops.abort();
  }
}
