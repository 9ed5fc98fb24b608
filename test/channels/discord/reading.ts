/** All that a person sees of Discord's Markdown, as Discord's own reader has it: marks taken away, escapes undone. */

const fence = /^```(?:[\w+\-.#]+(?=\n))?\n?([\s\S]*?)\n?```/
const code = /^(`{1,2})(?!`)([\s\S]*?[^`])\1(?!`)/
const address = /^https?:\/\/[^\s<>\\`]*[^\s<>\\`.,:;"'()[\]*_~|!?]/
const link = /^\]\(<([^>]*)>\)/
/** Marks of a line's beginning, which a text must not have of its own. */
const ofLine = /^(?: {0,3}#{1,3} | *[-+] | *\d+\. |-# )/

/** `lineMarks`: how many headings, lists and the like there are. */
export const asShown = (markdown: string): { readonly text: string; readonly lineMarks: number } => {
  let text = ""
  let rest = markdown
  let isStart = true
  let isQuoted = false
  let lineMarks = 0
  const take = (length: number, visible: string) => {
    text += visible
    rest = rest.slice(length)
  }
  while (rest !== "") {
    if (isStart && rest.startsWith("> ")) {
      rest = rest.slice(2)
      isQuoted = true
      continue
    }
    if (isStart && ofLine.test(rest)) lineMarks += 1
    isStart = false
    const fenced = fence.exec(rest)
    const coded = code.exec(rest)
    const found = address.exec(rest)
    const linked = link.exec(rest)
    if (fenced !== null) take(fenced[0].length, isQuoted ? (fenced[1] ?? "").replace(/^> ?/gm, "") : (fenced[1] ?? ""))
    else if (coded !== null) take(coded[0].length, coded[2] ?? "")
    else if (found !== null) take(found[0].length, found[0])
    else if (linked !== null) take(linked[0].length, "")
    else if (/^\\[^0-9A-Za-z\s]/.test(rest)) take(2, rest[1] ?? "")
    else if (rest.startsWith("**") || rest.startsWith("~~")) take(2, "")
    else if (/^[*_[]/.test(rest)) take(1, "")
    else {
      isStart = rest.startsWith("\n")
      isQuoted &&= !isStart
      take(1, rest[0] ?? "")
    }
  }
  return { text: text.replaceAll("\u200b", ""), lineMarks }
}
