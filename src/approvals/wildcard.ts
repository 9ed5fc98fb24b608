/** Patterns in which `*` stands for any characters, none among them, and all else for itself; pure, without backtracking. */

/** From a place in the text to its end. */
export const fitsWildcard = (pattern: string, text: string, from = 0): boolean => {
  const [head = "", ...parts] = pattern.split("*")
  const tail = parts.pop()
  if (tail === undefined) return text.length - from === head.length && text.startsWith(head, from)
  if (!text.startsWith(head, from)) return false
  let at = from + head.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
