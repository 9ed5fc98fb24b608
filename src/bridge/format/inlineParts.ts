/** Cuts a paragraph that is too long, or has too many marks, to be read at once: at a line, else at a space. */

const maxLength = 4_096
const maxMarks = 256

const isMark = (character: string) => "*_~[]<`!&@\\".includes(character)

/** Not between the two halves of one. */
const betweenCharacters = (text: string, at: number) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at)

/** Where the part that begins at `from` ends. */
const endOfPart = (text: string, from: number): number => {
  let [line, freeSpace, space, marks, brackets, ticks] = [0, 0, 0, 0, 0, 0]
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (isMark(character)) marks += 1
    if (marks > maxMarks || at - from >= maxLength) return line || freeSpace || space || betweenCharacters(text, at)
    if (character === "[" || character === "(") brackets += 1
    if (character === "]" || character === ")") brackets -= 1
    if (character === "`") ticks += 1
    if (at === from) continue
    if (character === "\n") line = at
    if (character === " ") space = at
    if (character === " " && brackets === 0 && ticks % 2 === 0) freeSpace = at
  }
  return text.length
}

/** Joined they are the text. */
export const inlineParts = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let from = 0; from < text.length; ) {
    const end = endOfPart(text, from)
    parts.push(text.slice(from, end))
    from = end
  }
  return parts
}
