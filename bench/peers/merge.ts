/** One fact of several measurements: numbers that differ become a range, words that differ stand side by side. */

const number = /\d+(?:\.\d+)?/g
const wordsOf = (fact: string) => fact.replace(number, "#")

const rangeOf = (numbers: ReadonlyArray<string>) => {
  const sorted = [...numbers].sort((one, other) => Number(one) - Number(other))
  const [low, high] = [sorted.at(0), sorted.at(-1)]
  return low === high ? low : `${low}–${high}`
}

/** Facts that have their words in common. */
const mergeNumbers = ([first = "", ...others]: ReadonlyArray<string>) => {
  const numbers = others.map((fact) => fact.match(number) ?? [])
  let at = 0
  return first.replace(number, (found) => {
    const column = [found, ...numbers.map((row) => row[at] ?? found)]
    at += 1
    return rangeOf(column) ?? found
  })
}

/** The parts of a fact are merged one by one, so that only what differs is said twice. */
export const merge = (facts: ReadonlyArray<string>): string => {
  const rows = facts.map((fact) => fact.split("<br>"))
  const longest = Math.max(...rows.map((row) => row.length))
  const columns = Array.from({ length: longest }, (_, nth) => rows.flatMap((row) => row.slice(nth, nth + 1)))
  return columns.map((column) => [...Map.groupBy(column, wordsOf).values()].map(mergeNumbers).join(" / ")).join("<br>")
}
