/** Keys as this keyboard names them: the table has `Ctrl`, `Alt` and `Shift`; a Mac's keyboard has ⌘, ⌥ and ⇧ in their places. */

/** @returns {string} */
const platform = () => {
  const { userAgentData } = /** @type {Navigator & { userAgentData?: { platform?: string } }} */ (navigator)
  return userAgentData?.platform || navigator.platform
}

const isMac = /^mac|^iP(?:hone|ad|od)/i.test(platform())

const macNames = { Ctrl: "⌘", Alt: "⌥", Shift: "⇧" }

/** @param {string} text of the table @param {boolean} [mac] */
export const inKeys = (text, mac = isMac) =>
  mac
    ? text.replace(
        /\b(Ctrl|Alt|Shift)\b([+ ]?)/g,
        (_, /** @type {keyof typeof macNames} */ name, /** @type {string} */ gap) =>
          macNames[name] + (gap === "+" ? "" : gap)
      )
    : text

/** For `aria-keyshortcuts`. @param {string} keys */
export const shortcut = (keys) => (isMac ? keys.replace("Control", "Meta") : keys)

/** The key of commands, and no other: on a Mac, Ctrl moves about in text. @param {KeyboardEvent} press */
export const isCommandKey = ({ ctrlKey, metaKey, altKey }) =>
  (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey
