// @ts-check
// Talks to the station. Every failure is an Error whose message is a sentence for the user.

/** @param {Response} response @returns {Promise<Response>} */
async function checked(response) {
  if (response.ok) {
    return response;
  }
  let sentence = `the station answered ${response.status}`;
  try {
    sentence = (await response.json()).error ?? sentence;
  } catch {
    // The body was no JSON; the status says enough.
  }
  throw new Error(sentence);
}

/**
 * @param {string} path
 * @param {Record<string, string | number>} [query]
 */
function address(path, query = {}) {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, `${value}`]));
  return `${path}?${text}`;
}

/**
 * @param {string} path
 * @param {Record<string, string | number>} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function getJson(path, query, signal) {
  return (await checked(await fetch(address(path, query), { signal }))).json();
}

/**
 * @param {string} path
 * @param {Record<string, string | number>} query
 * @returns {Promise<ArrayBuffer>}
 */
export async function getBytes(path, query) {
  return (await checked(await fetch(address(path, query)))).arrayBuffer();
}

/**
 * @param {string} path
 * @param {Record<string, string | number>} query
 * @param {unknown} body a Blob is sent as it is, everything else as JSON
 * @returns {Promise<any>}
 */
export async function post(path, query, body) {
  const raw = body instanceof Blob;
  const response = await fetch(address(path, query), {
    method: 'POST',
    headers: { 'Content-Type': raw ? 'application/octet-stream' : 'application/json' },
    body: raw ? body : JSON.stringify(body),
  });
  return (await checked(response)).json();
}
