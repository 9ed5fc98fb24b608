/** The whole screen for one text: an open request, or an unfolded tool call. Keys in, the position out; pure. */
import type { Key } from "./editor.ts"

export interface View {
  readonly of: { readonly _tag: "Request" } | { readonly _tag: "Call"; readonly at: number }
  readonly top: number
  /** Rows that fit on the screen, and all rows; 0 until it is drawn. */
  readonly room: number
  readonly count: number
  readonly search: string
  readonly isTyping: boolean
  /** The first row of a search at the next frame. */
  readonly seek: number | undefined
}

const unseen = { top: 0, room: 0, count: 0, search: "", isTyping: false, seek: undefined } as const

export const viewOf = (of: View["of"]): View => ({ of, ...unseen })

const lastTop = ({ room, count }: View) => Math.max(0, count - room)
const movedTo = (view: View, top: number): View => ({ ...view, top: Math.max(0, Math.min(top, lastTop(view))) })

const page = ({ room }: View) => Math.max(1, room - 1)

const moves: Readonly<Record<string, (view: View) => View>> = {
  up: (view) => movedTo(view, view.top - 1),
  down: (view) => movedTo(view, view.top + 1),
  pageup: (view) => movedTo(view, view.top - page(view)),
  pagedown: (view) => movedTo(view, view.top + page(view)),
  space: (view) => movedTo(view, view.top + page(view)),
  home: (view) => movedTo(view, 0),
  end: (view) => movedTo(view, lastTop(view)),
  "/": (view) => ({ ...view, isTyping: true, search: "" }),
  n: (view) => ({ ...view, seek: view.top + 1 })
}

const typed = (view: View, key: Key): View => {
  if (key.name === "return") return { ...view, isTyping: false, seek: view.top }
  if (key.name === "escape") return { ...view, isTyping: false, search: "" }
  if (key.name === "backspace") return { ...view, search: view.search.slice(0, -1) }
  if (key.ctrl || key.meta || key.text === undefined || key.text < " ") return view
  return { ...view, search: (view.search + key.text).slice(0, 200) }
}

const other = (view: View, by: number, calls: number): View => {
  if (view.of._tag === "Request") return view
  const at = view.of.at + by
  return at < 0 || at >= calls ? view : { ...viewOf({ _tag: "Call", at }), room: view.room }
}

export const pressView = (view: View, key: Key, calls: number): View | undefined => {
  if (view.isTyping) return typed(view, key)
  if (key.ctrl) return key.name === "c" || key.name === "o" ? undefined : view
  if (key.name === "q" || key.name === "escape") return undefined
  if (key.name === "left") return other(view, -1, calls)
  if (key.name === "right") return other(view, 1, calls)
  return moves[key.name]?.(view) ?? view
}
