/** Arguments as Slack reads them: of JSON or of a form, where numbers and flags are text, and objects are JSON text. */
import { Refusal } from "./refusal.ts"

export type Params = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wrong = (name: string) => new Refusal("invalid_arguments", { detail: `[ERROR] invalid: ${name}` })

/** Empty if absent. */
export const textOf = (params: Params, name: string): string => {
  const value = params[name] ?? ""
  if (typeof value === "object") throw wrong(name)
  return String(value)
}

export const flagOf = (params: Params, name: string): boolean => ["true", "1"].includes(textOf(params, name))

export const integerOf = (params: Params, name: string): number | undefined => {
  const text = textOf(params, name)
  if (text === "") return undefined
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw wrong(name)
  return number
}

/** An object or a list, also as JSON text. Undefined if absent or empty text. */
export const jsonOf = (params: Params, name: string, error: string): unknown => {
  const value = params[name] ?? undefined
  if (typeof value !== "string") return value
  if (value === "") return undefined
  try {
    return JSON.parse(value)
  } catch {
    throw new Refusal(error, { detail: `${name} is not JSON` })
  }
}
