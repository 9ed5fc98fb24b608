/** A stretch of what a CLI prints, and what it claims: that which a reader of these lines has to come to. */

export interface Part {
  readonly lines: ReadonlyArray<string>
  readonly text: string
  readonly toolCalls: number
  readonly outputCharacters: number
}

export type Claim = Omit<Part, "lines"> & { readonly lines: number }

export const nothing: Claim = { lines: 0, text: "", toolCalls: 0, outputCharacters: 0 }

export const claimOf = (parts: ReadonlyArray<Part>): Claim => ({
  lines: parts.reduce((sum, { lines }) => sum + lines.length, 0),
  text: parts.map(({ text }) => text).join(""),
  toolCalls: parts.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
  outputCharacters: parts.reduce((sum, { outputCharacters }) => sum + outputCharacters, 0)
})
