/**
 * State that this tab keeps across a reload: drafts, uploaded files, unsent messages, and the key. The key comes in the
 * fragment of the link, is removed from the address at once, and is sent with every request, but not in cookies. The
 * fragment also names the conversation: `#c=<id>`.
 */
const prefix = "reins."

/** @param {string} name @param {unknown} value */
export const keep = (name, value) => {
  try {
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
      sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {
    // The storage is full: the value is lost with the tab.
  }
}

/** @param {string} name */
export const stored = (name) => {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? "null") ?? undefined
  } catch {
    return undefined
  }
}

const place = "reins.key"

const fragment = () => new URLSearchParams(location.hash.slice(1))

/** Takes the key out of the address. @returns {boolean} true if it had one */
export const takeKey = () => {
  const parts = fragment()
  const key = parts.get("key")
  if (!key) return false
  sessionStorage.setItem(place, key)
  parts.delete("key")
  const rest = parts.toString()
  history.replaceState(null, "", rest === "" ? location.pathname + location.search : `#${rest}`)
  return true
}

export const key = () => sessionStorage.getItem(place) ?? ""

export const conversationInAddress = () => fragment().get("c") ?? ""

/** @param {string} id @param {{ replace?: boolean }} [how] */
export const showInAddress = (id, { replace = false } = {}) => {
  if (conversationInAddress() === id) return
  const address = id === "" ? location.pathname + location.search : `#c=${encodeURIComponent(id)}`
  if (replace) history.replaceState(null, "", address)
  else history.pushState(null, "", address)
}
