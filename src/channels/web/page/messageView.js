/**
 * User messages with their files and delivery status, and messages of the bridge beside an answer: notes, files, buttons,
 * and answers that may be missing.
 */

import { blocks as drawBlocks, prose } from "./blocks.js"
import { button, exact, h, icon } from "./elements.js"
import { noteLine } from "./failureCards.js"
import { fileChip } from "./files.js"
import { time } from "./format.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").MessageState} MessageState */

const signs = { taken: "ok", failed: "bad", dropped: "other" }

/**
 * @param {import("./types.js").MessageRow & { at: number }} row
 * @param {{ now: (id: string) => void, drop: (id: string) => void, show: (file: import("./types.js").FileRow) => void, edit?: () => void }} actions
 */
export const messageView = (row, actions) => {
  const foot = h("p.state")
  const files = (row.files ?? []).map((file) => fileChip(file, { show: () => actions.show(file) }))
  const element = h(
    "article.message",
    { "aria-label": words.by(row.by, time(row.at)), "data-message": row.message },
    files.length > 0 ? h("ul.files", { "aria-label": words.attached }, ...files) : null,
    row.text === "" ? null : h("div.bubble", { dir: "auto" }, ...exact(row.text)),
    foot
  )
  /** @param {MessageState} state @param {{ place?: number | undefined, problem?: string | undefined }} [more] */
  const setState = (state, { place, problem } = {}) => {
    element.dataset["state"] = state
    foot.hidden = state === "sent"
    const delay = state === "failed" ? words.notSent : words.notYet
    const status = problem === undefined ? (words.states[state] ?? "") : delay(problem)
    const content = state === "queued" ? words.queued(place ?? 1) : status
    const sign = signs[/** @type {keyof typeof signs} */ (state)] ?? "clock"
    foot.replaceChildren(icon(sign), h("span", { dir: "auto" }, ...exact(content)))
    if (state === "queued") {
      const now = button(words.now, () => actions.now(row.message), "quiet.small", { title: words.nowTitle })
      foot.append(
        now,
        button(words.drop, () => actions.drop(row.message), "quiet.small")
      )
    }
    if (state === "failed" && actions.edit) foot.append(button(words.editAgain, actions.edit, "quiet.small"))
  }
  setState(row.state, row.place === undefined ? {} : { place: row.place })
  return { element, setState, row, state: () => /** @type {MessageState} */ (element.dataset["state"]) }
}

/** @typedef {ReturnType<typeof messageView>} MessageView */

/** @typedef {import("./types.js").Stamp} Stamp */
/** @typedef {import("./types.js").Button} Button */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {{ ask: (press: import("./types.js").Press) => Promise<import("./acts.js").PressAnswer>, show: (file: import("./types.js").FileRow) => void }} Around */

/** @param {Button[][] | undefined} rows @param {number} row that has them, until it is decided @param {Around} around */
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

/** Shows an answer that may not have been delivered, on demand. @param {import("./types.js").HostRow & Stamp} row @param {Around} around */
const missing = (row, { ask }) => {
  const show = async () => {
    const { error, text, blocks } = await ask({ do: "show", row: row.id })
    const isHere = error === undefined && (text !== undefined || blocks !== undefined)
    note.replaceWith(isHere ? prose(blocks, text ?? "") : noteLine("warn", error ?? row.text))
  }
  const open = button(words.showIt, () => void show(), "quiet.small")
  const note = noteLine("warn", row.text, open)
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
