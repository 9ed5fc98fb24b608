/** Parameters as Telegram reads them: numbers and flags may be text, objects may be JSON text (api#making-requests). */
import { badRequest } from "./refusal.ts"

export type Params = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Absent and `null` are the same. */
const at = (params: Params, name: string): unknown => params[name] ?? undefined

/** Empty if absent. */
export const textOf = (params: Params, name: string): string => {
  const value = at(params, name)
  if (value === undefined) return ""
  if (typeof value === "object") throw badRequest(`can't parse ${name}: it must be a String`)
  const text = String(value)
  if (!text.isWellFormed()) throw badRequest("strings must be encoded in UTF-8")
  return text
}

export const integerOf = (params: Params, name: string): number | undefined => {
  const value = at(params, name)
  if (value === undefined || value === "") return undefined
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw badRequest(`invalid ${name} specified`)
  return number
}

export const flagOf = (params: Params, name: string): boolean => {
  const value = at(params, name)
  return value === true || value === 1 || value === "true" || value === "True" || value === "1"
}

/** An object or a list, also as JSON text. */
export const jsonOf = (params: Params, name: string): unknown => {
  const value = at(params, name)
  if (typeof value !== "string") return value
  if (value === "") return undefined
  try {
    return JSON.parse(value)
  } catch {
    throw badRequest(`can't parse ${name} JSON object`)
  }
}
