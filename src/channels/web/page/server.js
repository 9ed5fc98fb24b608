/**
 * Requests to the server, with the key. Failures are values; `expired`: the key is not valid.
 *
 * @typedef {{ problem: "unreachable" | "expired" | "busy" | "refused", status: number, error: string }} Failure
 */
import { key } from "./tabMemory.js"
import { words } from "./words.js"

/** Without a key the application around this page identifies the person. @returns {Record<string, string>} */
export const headers = () => (key() === "" ? {} : { authorization: `Bearer ${key()}` })

/** @type {Failure} */
export const unreachable = { problem: "unreachable", status: 0, error: words.noServer }

/** @param {number} status @param {string} body @returns {Failure} */
export const failureOf = (status, body) => {
  // After these nothing was done, and the request may be sent again.
  const problem = status === 401 ? "expired" : [408, 429, 502, 503, 504].includes(status) ? "busy" : "refused"
  try {
    const { error, help } = JSON.parse(body)
    if (typeof error === "string")
      return { problem, status, error: typeof help === "string" ? `${error} ${help}` : error }
  } catch {
    // A proxy answered.
  }
  return { problem, status, error: words.refused(status) }
}

/**
 * @param {string} path below the page
 * @param {RequestInit} [init]
 * @returns {Promise<{ response: Response, failure?: undefined } | { failure: Failure, response?: undefined }>}
 */
export const request = async (path, init = {}) => {
  try {
    const response = await fetch(`./${path}`, {
      ...init,
      headers: { ...headers(), ...init.headers },
      cache: "no-store",
      credentials: "same-origin"
    })
    if (response.ok) return { response }
    return { failure: failureOf(response.status, await response.text().catch(() => "")) }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error
    return { failure: unreachable }
  }
}

/** @param {string} path @param {unknown} body */
export const post = async (path, body) => {
  const { response, failure } = await request(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" }
  })
  if (failure) return { failure }
  return { answer: /** @type {Record<string, unknown>} */ (await response.json().catch(() => ({}))) }
}

/** @param {string} path */
export const getJson = async (path) => {
  const { response, failure } = await request(path)
  if (failure) return { failure }
  try {
    return { answer: /** @type {unknown} */ (await response.json()) }
  } catch {
    return { failure: unreachable }
  }
}

/** Saves an answer as a file. @param {string} path @param {string} name */
export const download = async (path, name) => {
  const { response, failure } = await request(path)
  if (failure) return failure
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
  return undefined
}

/** A UUID, which older browsers make only by hand. */
export const newId = () => {
  if (crypto.randomUUID) return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes]
    .map((byte, index) =>
      (index === 6 ? (byte & 15) | 64 : index === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, "0")
    )
    .join("")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
