/** State that this tab remembers across a reload: drafts, uploaded files, unsent messages. */
const prefix = "reins."

/** @param {string} name @param {unknown} value */
export const keep = (name, value) => {
  try {
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
      sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {
    // Full: it is still in the page, and lost only with the tab.
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
