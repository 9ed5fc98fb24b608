/** Numbers, sizes, durations, times and keys for people; times by the server's clock. */

/** Difference to the server's clock, from the `now` of each connection; deadlines and elapsed times depend on it. */
let ahead = 0

/** @param {number} serverNow ms since 1970 */
export const setServerTime = (serverNow) => {
  ahead = serverNow - Date.now()
}

export const now = () => Date.now() + ahead

/** @param {number} usd */
export const money = (usd) => `$${usd.toFixed(2)}`

/** @param {number} ms */
export const duration = (ms) => {
  const s = Math.max(0, Math.round(ms / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} m ${String(s % 60).padStart(2, "0")} s`
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`
}

/** Minutes and seconds, as a countdown shows them. @param {number} ms */
export const countdown = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`

/** @param {number} n */
export const size = (n) => (n < 1000 ? `${n} B` : n < 1e6 ? `${Math.round(n / 1000)} kB` : `${(n / 1e6).toFixed(1)} MB`)

/** @param {number} n */
export const thousands = (n) => (n < 1000 ? String(n) : `${Math.round(n / 1000)}k`)

/** @param {number} at ms since 1970 */
export const time = (at) => new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })

const dayMs = 86_400_000
/** @param {number} at */
const midnight = (at) => new Date(at).setHours(0, 0, 0, 0)

/** Days before today: 0 is today. @param {number} at */
export const daysAgo = (at) => Math.max(0, Math.round((midnight(now()) - midnight(at)) / dayMs))

/** The time, with its day if that is not today. @param {number} at */
export const dayTime = (at) => {
  if (midnight(at) === midnight(now())) return time(at)
  return `${new Date(at).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" })}, ${time(at)}`
}

/** The time of today, else the day. @param {number} at */
export const shortTime = (at) => {
  const days = daysAgo(at)
  if (days === 0) return time(at)
  /** @type {Intl.DateTimeFormatOptions} */
  const options = days < 7 ? { weekday: "short" } : { day: "numeric", month: "short" }
  return new Date(at).toLocaleDateString(undefined, options)
}

const { userAgentData } = /** @type {Navigator & { userAgentData?: { platform?: string } }} */ (navigator)
const isMac = /^mac|^iP(?:hone|ad|od)/i.test(userAgentData?.platform || navigator.platform)

const macNames = { Ctrl: "⌘", Alt: "⌥", Shift: "⇧" }

/** Names keys as this keyboard does: ⌘, ⌥ and ⇧ on a Mac. @param {string} text with `Ctrl`, `Alt` and `Shift` */
export const inKeys = (text) =>
  isMac
    ? text.replace(
        /\b(Ctrl|Alt|Shift)\b([+ ]?)/g,
        (_, /** @type {keyof typeof macNames} */ name, /** @type {string} */ gap) =>
          macNames[name] + (gap === "+" ? "" : gap)
      )
    : text

/** For `aria-keyshortcuts`. @param {string} keys */
export const shortcut = (keys) => (isMac ? keys.replace("Control", "Meta") : keys)

/** On a Mac, Ctrl moves in text. @param {KeyboardEvent} press */
export const isCommandKey = ({ ctrlKey, metaKey, altKey }) =>
  (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey
