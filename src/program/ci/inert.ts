/**
 * Text of others in the log of a CI: what the runner would take for a command, with which a job is changed, is broken by a
 * blank; pure. A blank before it is not enough: GitHub drops those before `::`, and finds `##[` anywhere in a row.
 */

const broken = (text: string): string => text.replace(/^(\s*:)(?=:)/gm, "$1 ").replace(/##(?:vso)?(?=\[)/gi, "$& ")

/** As much of the end of a row as can begin a command. */
const endOf = (row: string): string => {
  const end = row.replace(/^\s+/, " ")
  return end.length <= 8 ? end : `x${end.slice(-5)}`
}

/** `before`: the end of the row that the text goes on with, as the step before gave it; first "". */
export const inert = (before: string, text: string): readonly [end: string, text: string] => {
  const all = broken(before + text)
  return [endOf(all.slice(all.lastIndexOf("\n") + 1)), all.slice(before.length)]
}
