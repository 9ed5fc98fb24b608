/** Reads columns of rows that another version or program may have written. Types of counts differ among databases. */
import { Predicate } from "effect"

export const textIn = (row: object, column: string): string | undefined => {
  const value = Predicate.hasProperty(row, column) ? row[column] : undefined
  return Predicate.isString(value) ? value : undefined
}

export const countIn = (row: object, column: string): number | undefined => {
  const value = Predicate.hasProperty(row, column) ? row[column] : undefined
  const isCount = typeof value === "number" || typeof value === "bigint" || (typeof value === "string" && value !== "")
  const count = isCount ? Number(value) : Number.NaN
  return Number.isFinite(count) ? count : undefined
}

/** The column's value if it is one of these words. */
export const wordIn = <Word extends string>(
  row: object,
  column: string,
  words: ReadonlyArray<Word>
): Word | undefined => {
  const value = textIn(row, column)
  return words.find((word) => word === value)
}
