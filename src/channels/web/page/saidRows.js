/**
 * Messages of the bridge and its tools beside an answer: notes, messages with files, answers that may be missing,
 * buttons.
 */
import { blocks as drawBlocks, prose } from "./blocks.js"
import { button, h } from "./elements.js"
import { noteLine } from "./failureCards.js"
import { fileChip } from "./fileChip.js"
import { time } from "./format.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Stamp} Stamp */
/** @typedef {import("./types.js").Button} Button */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {{ ask: (press: import("./types.js").Press) => Promise<{ error?: string, text?: string, blocks?: Block[] }>, show: (file: import("./types.js").FileRow) => void }} Around */

/** @param {Button[][] | undefined} rows @param {number} row in which they are: its buttons go when it is decided @param {Around} around */
const buttonsOf = (rows, row, { ask }) => {
  if (!rows || rows.length === 0) return null
  const place = h("div.buttons")
  const press = async (/** @type {Button} */ { data }) => {
    for (const each of place.querySelectorAll("button")) each.disabled = true
    const { error, text } = await ask({ do: "button", data, row })
    const content = error ?? text
    if (content !== undefined)
      place.replaceChildren(h(error === undefined ? "span.soft" : "span.problem", { role: "status" }, content))
    else for (const each of place.querySelectorAll("button")) each.disabled = false
  }
  place.append(...rows.flat().map((each) => button(each.label, () => void press(each))))
  return place
}

/** An answer that may not have been delivered, shown on demand. @param {import("./types.js").HostRow & Stamp} row @param {Around} around */
const missing = (row, { ask }) => {
  const show = async () => {
    const { error, text, blocks } = await ask({ do: "show", row: row.id })
    const isHere = error === undefined && (text !== undefined || blocks !== undefined)
    note.replaceWith(isHere ? prose(blocks, text ?? "") : noteLine("warn", error ?? row.text))
  }
  const note = noteLine(
    "warn",
    row.text,
    button(words.showIt, () => void show(), "quiet.small")
  )
  return note
}

/** @param {import("./types.js").HostRow & Stamp} row @param {Around} around */
export const hostView = (row, around) => {
  if (row.what === "missing" && !row.buttons) return missing(row, around)
  const buttons = buttonsOf(row.buttons, row.id, around)
  if (row.what === "missing") return noteLine("warn", row.text, buttons ?? undefined)
  const isLine = row.blocks === undefined || (row.blocks.length === 1 && row.blocks[0]?.t === "p")
  if (isLine && !buttons) return noteLine("other", row.text)
  return h("div.host", {}, h("div.prose", {}, ...(row.blocks ? drawBlocks(row.blocks) : [row.text])), buttons)
}

/** @param {import("./types.js").SaidRow & Stamp} row @param {Around} around */
export const saidView = (row, around) => {
  const { file, text, blocks } = row
  const chip = file
    ? h("ul.files", { "aria-label": words.attached }, fileChip(file, { show: () => around.show(file) }))
    : null
  const content = text === "" && !blocks ? null : prose(blocks, text)
  return h(
    "article.said-row",
    { "aria-label": words.by(words.sentByAgent, time(row.at)), "data-error": row.isError ? "true" : undefined },
    content,
    chip,
    buttonsOf(row.buttons, row.id, around)
  )
}
