/** What agents are asked, say and do, as attributes: only where the application has asked for it; bounded, without secrets. */
import type { Attributes } from "./attributes.ts"

/** In characters. */
const mostLength = 8_192

export interface Content {
  /** The value is looked at only if it may be shown. */
  readonly of: (name: string, value: () => unknown) => Attributes
}

export const noContent: Content = { of: () => ({}) }

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

export const makeContent = (redact: (text: string) => string): Content => ({
  of: (name, value) => {
    // Before it is cut: half a secret is not recognised.
    const text = redact(textOf(value()))
    return text === "" ? {} : { [name]: text.length > mostLength ? `${text.slice(0, mostLength)}…` : text }
  }
})
