/** Fields of a request's body, checked as Discord checks them. */
import { isRecord } from "../telegram/params.ts"
import { invalidForm, tooLong } from "./refusal.ts"

export { isRecord }

export type Fields = Readonly<Record<string, unknown>>

const lengthOf = (text: string) => [...text].length

export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})

/** Absent and `null` are the same. `most`: in code points. */
export const textOf = (fields: Fields, name: string, most: number): string | undefined => {
  const value = fields[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== "string" && typeof value !== "number")
    throw invalidForm(name, "BASE_TYPE_BAD_TYPE", "Could not interpret as string.")
  const text = String(value)
  if (lengthOf(text) > most) throw tooLong(name, most)
  return text
}

export const listOf = (fields: Fields, name: string): ReadonlyArray<unknown> => {
  const value = fields[name] ?? []
  if (!Array.isArray(value)) throw invalidForm(name, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
  return value
}
