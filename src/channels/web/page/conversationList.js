/** The list of conversations, by day, those with open requests first, archived ones folded; with search and actions. */
import { button, byId, exact, fold, h, icon } from "./elements.js"
import { daysAgo, shortTime } from "./format.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").ConversationRow} ConversationRow */

const signs = { asking: "ask", failed: "bad", interrupted: "pause" }

/** @param {ConversationRow} row */
const groupOf = ({ archived, state, at }) => {
  if (archived) return words.groups.archived
  if (state === "asking") return words.groups.asking
  const days = daysAgo(at)
  if (days < 2) return days === 0 ? words.groups.today : words.groups.yesterday
  return days < 7 ? words.groups.week : words.groups.earlier
}

/** @param {string} state */
const sign = (state) => {
  if (state === "running") return h("span.spin")
  const name = signs[/** @type {keyof typeof signs} */ (state)]
  return name ? icon(name, `m-${state}`) : null
}

/**
 * @param {object} actions
 * @param {(id: string) => void} actions.open
 * @param {(id: string, change: { title?: string, archived?: boolean }) => Promise<string | undefined>} actions.change resolves with the failure
 * @param {(row: ConversationRow, format: "md" | "json") => Promise<string | undefined>} actions.save
 */
export const makeConversationList = ({ open, change, save }) => {
  const root = byId("conversations")
  const find = byId("find", "input")
  /** @type {ConversationRow[]} */
  let rows = []
  let here = ""
  /** The conversation with open actions. */
  let acting = ""
  let isArchiveOpen = false
  let drawn = ""

  /** @param {ConversationRow} row */
  const panel = (row) => {
    const problem = h("p.problem", { role: "alert" })
    const close = () => {
      acting = ""
      draw()
      const opener = /** @type {HTMLElement | null} */ (root.querySelector(`[data-actions="${CSS.escape(row.id)}"]`))
      opener?.focus()
    }
    const report = (/** @type {string | undefined} */ error) => {
      if (error === undefined) return close()
      problem.textContent = error
    }
    const field = h("input", { value: row.title, dir: "auto", "aria-label": words.newName, maxLength: 200 })
    const rename = async () =>
      report(field.value.trim() === "" ? undefined : await change(row.id, { title: field.value.trim() }))
    const renaming = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault()
      void rename()
    }
    const saving = h("button.plain.small", { type: "submit" }, words.save)
    const form = h("form.rename", { "aria-label": words.rename, on: { submit: renaming } }, field, saving)
    const exported = (/** @type {"md" | "json"} */ format) => async () => report(await save(row, format))
    const archive = async () => report(await change(row.id, { archived: !row.archived }))
    const element = h(
      "div.c-actions",
      {},
      form,
      button(words.exportMarkdown, exported("md"), "quiet.small"),
      button(words.exportJson, exported("json"), "quiet.small"),
      button(row.archived ? words.unarchive : words.archive, archive, "quiet.small"),
      problem
    )
    element.addEventListener("keydown", (press) => {
      if (press.key !== "Escape") return
      press.stopPropagation()
      close()
    })
    return element
  }

  /** @param {ConversationRow} row */
  const item = (row) => {
    // The heading already shows this state.
    const mark = row.state === "asking" && !row.archived ? undefined : words.marks[row.state]
    const at = row.page === undefined ? undefined : words.atPage(row.page)
    const facts = [mark, at, row.directory, row.agent].filter((each) => each).join(" · ")
    const link = h(
      "a",
      { href: `#c=${encodeURIComponent(row.id)}`, "aria-current": row.id === here ? "page" : undefined },
      h("span.c-head", {}, h("span.c-title", { dir: "auto" }, ...exact(row.title))),
      h("span.c-more", {}, sign(row.state), h("span.c-facts", {}, facts), h("span.c-at.num", {}, shortTime(row.at)))
    )
    link.addEventListener("click", (press) => {
      if (press.ctrlKey || press.metaKey || press.shiftKey) return
      press.preventDefault()
      open(row.id)
    })
    const isOpen = acting === row.id
    const toggle = () => {
      acting = isOpen ? "" : row.id
      draw()
      root.querySelector("input")?.focus()
    }
    const more = button(icon("more"), toggle, "quiet.square.tiny.c-act", {
      "aria-label": words.actions(row.title),
      "aria-expanded": String(isOpen),
      "data-actions": row.id
    })
    const line = h("div.c-line", {}, link, more)
    return h("li", { class: isOpen ? "acting" : undefined }, line, isOpen ? panel(row) : null)
  }

  const draw = () => {
    const query = find.value.trim()
    const found = rows.filter(({ title, directory, agent, page }) =>
      `${title} ${directory ?? ""} ${agent ?? ""} ${page ?? ""}`.toLowerCase().includes(query.toLowerCase())
    )
    /** @type {Map<string, ConversationRow[]>} */
    const groups = new Map(Object.values(words.groups).map((name) => [name, []]))
    for (const row of found.toSorted((a, b) => b.at - a.at)) groups.get(groupOf(row))?.push(row)
    byId("found", "p").textContent = query === "" ? "" : words.found(found.length)
    const sections = [...groups]
      .filter(([, list]) => list.length > 0)
      .map(([name, list], index) => {
        const items = h("ul", {}, ...list.map(item))
        if (name !== words.groups.archived || query !== "")
          return h("section", { "aria-labelledby": `group-${index}` }, h("h2", { id: `group-${index}` }, name), items)
        const label = h("span", {}, `${name} · ${list.length}`)
        const archived = fold([label], [items], { open: isArchiveOpen }, ".archived")
        archived.addEventListener("toggle", () => {
          isArchiveOpen = archived.open
        })
        return archived
      })
    const nothing =
      found.length > 0 ? [] : [h("p.nothing", {}, query === "" ? words.nothingYet : words.nothingWith(query))]
    root.replaceChildren(...sections, ...nothing)
  }
  find.addEventListener("input", draw)

  return {
    /** @param {ConversationRow[]} now @param {string} current */
    set: (now, current) => {
      // An equal list is not drawn again, and neither is one in which a name is being typed.
      const state = JSON.stringify([now, current, new Date().getMinutes()])
      const isRenaming = root.contains(document.activeElement) && document.activeElement?.tagName === "INPUT"
      if (state === drawn || (acting !== "" && isRenaming)) return
      drawn = state
      rows = now
      here = current
      const focused = document.activeElement?.closest("#conversations a, #conversations [data-actions]")
      const name = focused?.getAttribute("href") ?? focused?.getAttribute("data-actions")
      draw()
      if (!name) return
      const again = root.querySelector(`a[href="${CSS.escape(name)}"], [data-actions="${CSS.escape(name)}"]`)
      if (again instanceof HTMLElement) again.focus()
    }
  }
}
