// @ts-check
// What the user can do, whatever button, key or address asked for it.
import { getJson, post } from './api.js';
import { foldedAtFirst } from './layout.js';
import { NameCache } from './names.js';
import { TileCache } from './tiles.js';
import { set, state } from './state.js';

/** @typedef {import('./layout.js').Run} Run */
/** @typedef {import('./layout.js').Section} Section */
/** @typedef {import('./timeline.js').Timeline} Timeline */

const PROGRESS_MILLIS = 400;

/** @type {{ timeline: Timeline | null, statistics: AbortController | null, search: AbortController | null }} */
const context = { timeline: null, statistics: null, search: null };

/** @param {Timeline | null} timeline */
export function attach(timeline) {
  context.timeline = timeline;
}

export function timeline() {
  return context.timeline;
}

/** @param {unknown} failure */
export function fail(failure) {
  set({ error: failure instanceof Error ? failure.message : String(failure), opening: '', reading: null });
}

/** @param {Run} run @param {string} title @param {boolean} [flagged] @returns {Section} */
function section(run, title, flagged = false) {
  const redraw = () => context.timeline?.invalidate();
  return {
    run,
    title,
    offset: 0,
    tiles: new TileCache(run.id, run.duration_ns, redraw),
    names: run.ranks.map((_, rank) => new NameCache(run.id, rank, redraw)),
    counters: run.counters,
    flags: flagged ? [] : null,
    criticalPath: [],
  };
}

/** Opens a run in the timeline. @param {string} id @param {{ start: number, end: number }} [view] @param {import('./timeline.js').Choice} [choice] as it was when the view was left */
export async function showRun(id, view, choice) {
  set({ error: '' });
  try {
    const run = await readRun(id);
    set({
      run, compared: null, difference: null, report: null, reportError: '', fixes: null, opening: '', slice: null,
      statistics: null, finding: -1, prediction: null, fixesOn: new Set(),
      search: { text: '', total: 0, at: -1, hits: [] },
    });
    document.title = `${run.title} · Pitwall`;
    const first = section(run, run.title, true);
    await Promise.resolve();
    if (context.timeline) {
      context.timeline.choice = choice ?? {
        pinned: new Set(), hidden: new Set(), toggled: new Set(), folded: new Set(foldedAtFirst(run, 0)),
      };
      context.timeline.show([first], view);
    }
    loadReport(first);
  } catch (failure) {
    fail(failure);
  }
}

/** A run, once the station has read it; tells meanwhile how much is read. @param {string} id @returns {Promise<Run>} */
async function readRun(id) {
  const tell = () => {
    const open = state.runs.find((each) => each.id === id);
    if (open && (open.state === 'reading' || !state.run)) {
      set({ reading: { title: open.title, fraction: open.fraction_read } });
    }
  };
  tell();
  const timer = setInterval(async () => {
    set({ runs: await getJson('/api/runs') });
    tell();
  }, PROGRESS_MILLIS);
  try {
    return await getJson('/api/run', { run: id });
  } finally {
    clearInterval(timer);
    set({ reading: null });
  }
}

/** @param {Section} shown */
async function loadReport(shown) {
  try {
    const report = await getJson('/api/report', { run: shown.run.id });
    if (state.run !== shown.run) return;
    set({ report });
    shown.flags = flagsOf(report, shown.run);
    context.timeline?.invalidate();
    set({ fixes: new Set(await getJson('/api/whatif', { run: shown.run.id })) });
  } catch (failure) {
    set({ reportError: failure instanceof Error ? failure.message : String(failure) });
  }
}

/** @param {any} report */
export function findingsOf(report) {
  return [...(report?.findings ?? []), ...(report?.opportunities ?? [])];
}

/** @param {any} report @param {Run} run */
function flagsOf(report, run) {
  /** @type {import('./layout.js').Flag[]} */
  const flags = [];
  findingsOf(report).forEach((finding, number) => {
    const severity = number < (report.findings ?? []).length ? finding.severity : 'opportunity';
    for (const evidence of finding.evidence ?? []) {
      const place = placeOf(evidence, run);
      if (place) {
        flags.push({
          finding: number, severity, track: place.track, start: place.start,
          duration: evidence.dur_ns, title: finding.title,
        });
      }
    }
  });
  return flags.sort((a, b) => a.start - b.start);
}

/** Where a piece of evidence lies in a run. @param {any} evidence @param {Run} run */
function placeOf(evidence, run) {
  let rank = run.ranks.findIndex((candidate) => candidate.rank === evidence.rank);
  if (rank < 0) rank = 0;
  const track = run.tracks.find(
    (candidate) => candidate.rank === rank && candidate.label === evidence.track,
  );
  if (!track) return null;
  return { track: track.id, rank, start: evidence.ts_ns - run.ranks[rank].base_ns };
}

/** Shows a finding and centres a piece of its evidence. @param {number} number @param {number} [piece] */
export async function showFinding(number, piece = 0) {
  const finding = findingsOf(state.report)[number];
  if (!finding || !state.run) return;
  const evidence = finding.evidence ?? [];
  const at = evidence.length === 0 ? 0 : ((piece % evidence.length) + evidence.length) % evidence.length;
  set({ finding: number, evidence: at, side: 'findings' });
  if (evidence.length === 0) return;
  const place = placeOf(evidence[at], state.run);
  if (!place) return;
  const length = evidence[at].dur_ns;
  context.timeline?.centre(0, place.track, 0, place.start, length);
  try {
    const slice = await getJson('/api/slice-at', {
      run: state.run.id, track: place.track, time: place.start, name: evidence[at].name,
    });
    if (slice) {
      select(slice, 0, false);
    } else if (context.timeline) {
      // The evidence is a gap between slices.
      context.timeline.range = { start: place.start, end: place.start + length };
      context.timeline.invalidate();
    }
  } catch (failure) {
    fail(failure);
  }
}

/** @param {any} slice @param {number} sectionNumber @param {boolean} centre */
export function select(slice, sectionNumber, centre) {
  set({ slice, sliceSection: sectionNumber, drawer: 'details', drawerOpen: true });
  const shown = context.timeline;
  if (!shown) return;
  shown.selected = slice;
  shown.selectedSection = sectionNumber;
  if (centre) shown.centre(sectionNumber, slice.track, slice.lane, slice.start_ns, slice.dur_ns);
  else shown.reveal(sectionNumber, slice.track, slice.lane);
  shown.invalidate();
}

/** @param {number} rank @param {number} row @param {number} sectionNumber @param {boolean} centre */
export async function selectRow(rank, row, sectionNumber = 0, centre = true) {
  const run = context.timeline?.sections[sectionNumber]?.run;
  if (!run) return;
  try {
    select(await getJson('/api/slice', { run: run.id, rank, row }), sectionNumber, centre);
  } catch (failure) {
    fail(failure);
  }
}

export function clearSelection() {
  set({ slice: null });
  if (context.timeline) {
    context.timeline.selected = null;
    context.timeline.range = null;
    context.timeline.invalidate();
  }
}

/** Sums over a range of the tracks in sight. @param {{ start: number, end: number } | null} range */
export async function summarize(range) {
  context.statistics?.abort();
  if (!range || !state.run) {
    set({ statistics: null });
    return;
  }
  context.statistics = new AbortController();
  set({ drawer: 'statistics', drawerOpen: true });
  const tracks = state.rows
    .filter((row) => row.type === 'track' && row.section === 0)
    .map((row) => row.track?.id)
    .join(',');
  try {
    const statistics = await getJson(
      '/api/statistics',
      { run: state.run.id, from: Math.floor(range.start), to: Math.ceil(range.end), tracks },
      context.statistics.signal,
    );
    set({ statistics });
  } catch (failure) {
    if (!(failure instanceof DOMException)) fail(failure);
  }
}

/** @param {string} text */
export async function search(text) {
  context.search?.abort();
  set({ search: { text, total: 0, at: -1, hits: [] } });
  if (context.timeline) context.timeline.hits = [];
  if (text.trim() === '' || !state.run) {
    context.timeline?.invalidate();
    return;
  }
  context.search = new AbortController();
  try {
    const found = await getJson(
      '/api/search', { run: state.run.id, q: text }, context.search.signal,
    );
    set({ search: { text, total: found.total, at: -1, hits: found.hits } });
    if (context.timeline) {
      context.timeline.hits = found.hits.map((/** @type {number[]} */ hit) => ({
        section: 0, start: hit[3], row: hit[1],
      }));
      context.timeline.invalidate();
    }
  } catch (failure) {
    if (!(failure instanceof DOMException)) fail(failure);
  }
}

/** Goes to the next hit, or the one before. @param {1 | -1} by */
export function nextHit(by) {
  const { hits, at } = state.search;
  if (hits.length === 0) return;
  let next;
  if (at < 0 && context.timeline) {
    const start = context.timeline.view.start;
    next = hits.findIndex((hit) => hit[3] >= start);
    if (next < 0) next = 0;
  } else {
    next = (at + by + hits.length) % hits.length;
  }
  set({ search: { ...state.search, at: next } });
  selectRow(hits[next][0], hits[next][1], 0, true);
}

/** Shows a second run under the first, aligned by step. @param {string} id '' shows none */
export async function compare(id) {
  if (!state.run || !context.timeline) return;
  const [first] = context.timeline.sections;
  if (id === '') {
    set({ compared: null, difference: null });
    context.timeline.show([first], context.timeline.view);
    return;
  }
  try {
    const run = await readRun(id);
    const steps = [alignedStep(state.run), alignedStep(run)];
    const second = section(run, run.title);
    set({ compared: run, comparedStep: steps });
    context.timeline.sections = [first, second];
    foldedAtFirst(run, 1).forEach((key) => context.timeline?.choice.folded.add(key));
    align(steps[0], steps[1]);
    context.timeline.show([first, second]);
    set({ difference: await getJson('/api/difference', { before: state.run.id, after: id }) });
  } catch (failure) {
    fail(failure);
  }
}

/** The second step where there is one: the first is often still warm-up. @param {Run} run */
function alignedStep(run) {
  return Math.min(1, Math.max(0, (run.ranks[0]?.steps.length ?? 0) - 1));
}

/** @param {number} step of the first run @param {number} other step of the second */
export function align(step, other) {
  const shown = context.timeline;
  if (!shown || shown.sections.length < 2) return;
  const [first, second] = shown.sections;
  const start = first.run.ranks[0]?.steps[step]?.[0] ?? 0;
  const otherStart = second.run.ranks[0]?.steps[other]?.[0] ?? 0;
  second.offset = start - otherStart;
  set({ comparedStep: [step, other] });
  shown.setView(shown.view);
}

/** Turns a fix on or off and simulates anew. @param {string} id @param {boolean} on */
export async function toggleFix(id, on) {
  const fixesOn = new Set(state.fixesOn);
  if (on) fixesOn.add(id);
  else fixesOn.delete(id);
  set({ fixesOn });
  if (!state.run || !context.timeline) return;
  const [first] = context.timeline.sections;
  if (fixesOn.size === 0) {
    set({ prediction: null, predicting: false });
    context.timeline.show([first], context.timeline.view);
    return;
  }
  set({ predicting: true });
  try {
    const answer = await post('/api/whatif', { run: state.run.id }, { fixes: [...fixesOn] });
    if (state.fixesOn !== fixesOn) return;
    set({ prediction: answer, predicting: false });
    if (answer.run) {
      /** @type {Run} */
      const run = await getJson('/api/run', { run: answer.run });
      if (state.fixesOn !== fixesOn) return;
      const predicted = section(run, `predicted with ${[...fixesOn].join(', ')}`);
      const view = context.timeline.view;
      context.timeline.sections = [first, predicted];
      align(answer.step ?? 0, 0);
      context.timeline.show([{ ...first, title: `${first.title}, as recorded` }, predicted], view);
    }
  } catch (failure) {
    set({ predicting: false });
    fail(failure);
  }
}

export async function toggleCriticalPath() {
  const shown = context.timeline;
  if (!shown || !state.run) return;
  const on = !state.criticalPath;
  set({ criticalPath: on });
  shown.showsCriticalPath = on;
  try {
    if (on && shown.sections[0].criticalPath.length === 0) {
      const answer = await getJson('/api/critical-path', { run: state.run.id });
      shown.sections[0].criticalPath = answer.nodes;
    }
    const rank = shown.sections[0].criticalPath[0]?.rank;
    if (on && shown.choice.folded.delete(`s0r${rank}`)) shown.relayout();
  } catch (failure) {
    set({ criticalPath: false });
    shown.showsCriticalPath = false;
    fail(failure);
  }
  shown.invalidate();
}

/** @param {string} sql */
export async function runQuery(sql) {
  if (!state.run) return;
  set({ query: { sql, busy: true, error: '', result: null } });
  try {
    const result = await post('/api/query', { run: state.run.id }, { sql });
    set({ query: { sql, busy: false, error: '', result } });
  } catch (failure) {
    const error = failure instanceof Error ? failure.message : String(failure);
    set({ query: { sql, busy: false, error, result: null } });
  }
}

/** @param {FileList | File[]} files */
export async function openFiles(files) {
  for (const file of files) {
    set({ opening: file.name, error: '' });
    try {
      const { id } = await post('/api/upload', { name: file.name }, file);
      await refreshRuns();
      await showRun(id);
    } catch (failure) {
      fail(failure);
      return;
    }
  }
}

/** @param {{ number: number, name: string }} recent */
export async function openRecent(recent) {
  set({ opening: recent.name, error: '' });
  try {
    const { id } = await post('/api/recent', {}, { number: recent.number, name: recent.name });
    await refreshRuns();
    await showRun(id);
  } catch (failure) {
    fail(failure);
  }
}

export async function refreshRuns() {
  const [runs, recent] = await Promise.all([getJson('/api/runs'), getJson('/api/recent')]);
  set({ runs, recent, started: true });
}

/** @param {'system' | 'light' | 'dark'} theme */
export function setTheme(theme) {
  set({ theme });
  if (theme === 'system') {
    localStorage.removeItem('theme');
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem('theme', theme);
    document.documentElement.dataset.theme = theme;
  }
  context.timeline?.recolour();
}
