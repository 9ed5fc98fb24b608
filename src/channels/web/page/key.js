/**
 * The key of this page: it comes in the fragment of the link, leaves the address at once, is kept for this tab and sent
 * with every request; no cookie has it. The fragment also names the conversation: `#c=<id>`.
 */
const place = "reins.key"

const fragment = () => new URLSearchParams(location.hash.slice(1))

/** Takes a key out of the address, where there is one. @returns {boolean} whether there was */
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
