/** A user message, its files and its delivery status. Waiting messages are above the box until they are taken up. */
import { button, h, icon } from "./elements.js"
import { exact } from "./exactText.js"
import { fileChip } from "./fileChip.js"
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
    const content =
      state === "queued"
        ? words.queued(place ?? 1)
        : problem === undefined
          ? (words.states[state] ?? "")
          : state === "failed"
            ? words.notSent(problem)
            : words.notYet(problem)
    const sign = signs[/** @type {keyof typeof signs} */ (state)] ?? "clock"
    foot.replaceChildren(icon(sign), h("span", { dir: "auto" }, ...exact(content)))
    if (state === "queued") {
      foot.append(
        button(words.now, () => actions.now(row.message), "quiet.small", { title: words.nowTitle }),
        button(words.drop, () => actions.drop(row.message), "quiet.small")
      )
    }
    if (state === "failed" && actions.edit) foot.append(button(words.editAgain, actions.edit, "quiet.small"))
  }
  setState(row.state, row.place === undefined ? {} : { place: row.place })
  return { element, setState, row, state: () => /** @type {MessageState} */ (element.dataset["state"]) }
}

/** @typedef {ReturnType<typeof messageView>} MessageView */
