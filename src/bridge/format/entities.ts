/** Text with marks on it, as chat services take it: flat, and never one mark across the border of another. */

/** Style of a mark. Code combines only with an enclosing quotation. */
export type Mark =
  | { readonly type: "bold" | "italic" | "strikethrough" | "code" | "blockquote" }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "link"; readonly url: string }

/** In UTF-16 units. */
export type Entity = Mark & { readonly offset: number; readonly length: number }

export interface RichText {
  readonly text: string
  /** By offset, the longer ones first. */
  readonly entities: ReadonlyArray<Entity>
}

export const byOffset = (a: Entity, b: Entity): number => a.offset - b.offset || b.length - a.length

const isBlank = (text: string, at: number) => /\s/.test(text[at] ?? "")

/** A style without white space at its ends, where chat services refuse it; none where nothing is left. */
export const trimmedEntity = (text: string, entity: Entity): ReadonlyArray<Entity> => {
  let start = entity.offset
  let end = Math.min(text.length, entity.offset + entity.length)
  if (entity.type !== "pre" && entity.type !== "code" && entity.type !== "blockquote") {
    while (start < end && isBlank(text, start)) start += 1
    while (end > start && isBlank(text, end - 1)) end -= 1
  }
  return end > start ? [{ ...entity, offset: start, length: end - start }] : []
}

/** One text after the other. */
export const joined = (...texts: ReadonlyArray<RichText>): RichText => {
  let text = ""
  const entities: Array<Entity> = []
  for (const rich of texts) {
    for (const entity of rich.entities) entities.push({ ...entity, offset: entity.offset + text.length })
    text += rich.text
  }
  return { text, entities }
}

export const plain = (text: string): RichText => ({ text, entities: [] })
