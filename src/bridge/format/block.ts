/** Markdown as a tree that a page draws with elements and text alone: no HTML, and no address that may not be pressed. */

export type Inline =
  | string
  /** Bold, italic, struck through. */
  | { readonly t: "b" | "i" | "s"; readonly c: ReadonlyArray<Inline> }
  | { readonly t: "code"; readonly text: string }
  /** `href` is `http:`, `https:` or `mailto:`. */
  | { readonly t: "a"; readonly href: string; readonly c: ReadonlyArray<Inline> }
  | { readonly t: "br" }

export interface ListItem {
  /** For a task: whether it is done. */
  readonly task?: boolean
  readonly c: ReadonlyArray<Block>
}

export type Block =
  | { readonly t: "p"; readonly c: ReadonlyArray<Inline> }
  | { readonly t: "h"; readonly n: number; readonly c: ReadonlyArray<Inline> }
  | { readonly t: "code"; readonly lang?: string; readonly text: string }
  | {
      readonly t: "list"
      readonly ordered: boolean
      readonly start?: number
      readonly items: ReadonlyArray<ListItem>
    }
  | { readonly t: "quote"; readonly c: ReadonlyArray<Block> }
  | {
      readonly t: "table"
      readonly align: ReadonlyArray<"left" | "center" | "right" | null>
      readonly head: ReadonlyArray<ReadonlyArray<Inline>>
      /** Rows can have fewer cells than the head, or more. */
      readonly rows: ReadonlyArray<ReadonlyArray<ReadonlyArray<Inline>>>
    }
  | { readonly t: "hr" }
