/**
 * The panel of a conversation's changes in its worktree, beside it, or over it where the page is narrow: what would be applied,
 * and Apply, Commit and Discard, each with its words and its result. Read again after each turn and each action.
 *
 * @typedef {import("./types.js").Changes} Changes
 */
import { makeChangedFiles } from "./changedFiles.js"
import { tally } from "./diff.js"
import { button, byId, exact, h, icon, sendingNote, tell } from "./elements.js"
import { here } from "./parts.js"
import { getJson, post } from "./server.js"
import { words } from "./words.js"

const narrow = matchMedia("(max-width: 1099px)")

const isChangesOpen = () => document.body.classList.contains("changes-open")

/** @param {unknown} answer @returns {Changes | undefined} none without a worktree */
const changesIn = (answer) =>
  // Written by the server.
  typeof answer === "object" && answer !== null && "commit" in answer ? /** @type {Changes} */ (answer) : undefined

export const makeChanges = () => {
  const panel = byId("changes", "aside")
  const toggle = byId("changes-toggle", "button")
  const title = h("h2", { id: "changes-title", tabIndex: -1 }, words.changes)
  const sum = h("span.changes-sum")
  const about = h("p.changes-about")
  const scroll = h("div.changes-scroll")
  const result = h("p.changes-result", { role: "status" })
  const acts = h("div.changes-acts")
  const message = h("textarea", { id: "changes-message", rows: 1, dir: "auto", maxLength: 4000 })
  const close = button(icon("bad"), () => show(false), "quiet.square", { "aria-label": words.closeChanges })
  panel.append(
    h("header.changes-head", {}, title, sum, h("span.gap"), close),
    about,
    scroll,
    h("div.changes-foot", {}, result, acts)
  )
  const files = makeChangedFiles({ root: scroll, isStale: () => void refresh() })
  /** @type {Changes | undefined} */
  let now
  /** State of the actions. */
  let [isSending, isAsking] = [false, false]
  let drawnActs = ""
  let reading = 0

  const covers = () => {
    byId("body").inert = (narrow.matches && isChangesOpen()) || document.body.classList.contains("side-open")
  }
  /** @param {boolean} isOpen @param {{ focus?: boolean }} [how] */
  const show = (isOpen, { focus = true } = {}) => {
    document.body.classList.toggle("changes-open", isOpen)
    panel.hidden = !isOpen
    toggle.setAttribute("aria-expanded", String(isOpen))
    isAsking = false
    covers()
    if (isOpen) draw()
    if (!focus) return
    if (isOpen) title.focus()
    else (toggle.hidden ? byId("prompt", "textarea") : toggle).focus()
  }

  /** @param {Changes | undefined} changes */
  const drawToggle = (changes) => {
    toggle.hidden = changes === undefined
    const { count = 0 } = changes ?? {}
    byId("changes-count", "span").textContent = String(count)
    toggle.setAttribute("aria-label", words.changesToggle(count))
  }

  /** @param {"ok" | "bad" | ""} kind @param {string} text */
  const say = (kind, text) => {
    result.dataset["kind"] = kind
    result.replaceChildren(...(text === "" ? [] : [icon(kind === "ok" ? "ok" : "warn"), h("span", {}, ...exact(text))]))
  }

  /** @param {"apply" | "commit" | "discard"} act */
  const perform = async (act) => {
    if (isSending || !now) return
    const { id } = here
    const text = message.value.trim()
    isSending = true
    isAsking = false
    say("", "")
    drawActs()
    const wish = { do: act, commit: now.commit, ...(act === "commit" && text !== "" ? { message: text } : {}) }
    const { answer, failure } = await post(`conversations/${encodeURIComponent(id)}/changes`, wish)
    isSending = false
    if (id !== here.id) return
    if (failure) {
      say("bad", failure.error)
      tell(failure.error, true)
    } else {
      if (act === "commit") message.value = ""
      const done = typeof answer["text"] === "string" ? answer["text"] : ""
      say("ok", done)
      tell(done)
    }
    await refresh()
    drawActs()
    // The pressed button may be gone.
    if (isChangesOpen() && !panel.contains(document.activeElement)) title.focus()
  }

  const ask = (/** @type {boolean} */ is) => {
    isAsking = is
    drawActs()
    const next = acts.querySelector(is ? ".danger" : ".deny")
    if (next instanceof HTMLElement) next.focus()
  }

  const drawActs = () => {
    const { count = 0, mayAct = false, words: own } = now ?? {}
    const key = JSON.stringify([now?.commit, count, mayAct, own, isSending, isAsking])
    if (key === drawnActs) return
    drawnActs = key
    if (!own || count === 0) return void acts.replaceChildren()
    if (!mayAct) return void acts.replaceChildren(h("p.soft.small-text", {}, words.onlyAdmins))
    if (isSending) return void acts.replaceChildren(h("p.sending", {}, ...sendingNote()))
    /** @param {string} name @param {string} text @param {HTMLElement} press @param {HTMLElement | null} [field] */
    const row = (name, text, press, field = null) => {
      const wordsId = `changes-${name}`
      press.setAttribute("aria-describedby", wordsId)
      return h("div.changes-act", {}, h("p.small-text", { id: wordsId }, ...exact(text)), field, press)
    }
    const apply = button(words.applyChanges, () => void perform("apply"), "primary")
    const commit = button(words.commitChanges, () => void perform("commit"), "plain")
    const discard = button(words.discardChanges, () => ask(true), "plain.deny")
    const field = h(
      "div.changes-message",
      {},
      h("label.small-text", { htmlFor: message.id }, words.commitMessage),
      message
    )
    const sure = h(
      "div.changes-act.sure",
      { role: "group", "aria-label": words.discardSure(count) },
      h("p.small-text", {}, ...exact(`${words.discardSure(count)} ${words.discardChanges}: ${own.discard}.`)),
      h(
        "div.buttons",
        {},
        button(words.discardFiles(count), () => void perform("discard"), "danger"),
        button(words.keepChanges, () => ask(false), "plain")
      )
    )
    acts.replaceChildren(
      row("apply", `${words.applyChanges}: ${own.apply}.`, apply),
      row("commit", `${words.commitChanges}: ${own.commit}.`, commit, field),
      isAsking ? sure : row("discard", `${words.discardChanges}: ${own.discard}.`, discard)
    )
  }

  const draw = () => {
    if (!now) return
    const { branch, repository, commits, isApplied, count, added, deleted } = now
    sum.replaceChildren(h("span.num", {}, words.filesChanged(count)), " ", tally({ added, removed: deleted }))
    const ahead = [
      ...(isApplied && count > 0 ? [" · ", words.applied] : []),
      ...(commits === 0 ? [] : [" · ", words.commitsAhead(commits)])
    ]
    about.replaceChildren(
      h("bdi", { dir: "ltr" }, ...exact(branch)),
      ...ahead,
      " · ",
      h("bdi", { dir: "ltr" }, ...exact(repository))
    )
    files.set({ id: here.id, ...now })
    scroll.dataset["empty"] = String(count === 0)
    const none = scroll.querySelector(".no-changes")
    if (count > 0) none?.remove()
    else if (!none) scroll.prepend(h("p.no-changes.soft", {}, words.noChanges))
    drawActs()
  }

  const refresh = async () => {
    const { id } = here
    reading += 1
    const mine = reading
    if (here.isNew) return drawToggle(undefined)
    const { answer, failure } = await getJson(`conversations/${encodeURIComponent(id)}/changes`)
    if (mine !== reading || id !== here.id) return
    if (failure) {
      // Servers before these changes have none.
      if (isChangesOpen()) say("bad", failure.error)
      return
    }
    now = changesIn(answer)
    drawToggle(now)
    if (isChangesOpen()) now ? draw() : show(false)
  }

  toggle.addEventListener("click", () => show(!isChangesOpen()))
  panel.addEventListener("keydown", (press) => {
    if (press.key !== "Escape" || press.isComposing) return
    press.preventDefault()
    press.stopPropagation()
    if (isAsking) ask(false)
    else show(false)
  })
  narrow.addEventListener("change", covers)
  matchMedia("(max-width: 899px)").addEventListener("change", covers)

  return {
    /** Another conversation is shown. */
    clear: () => {
      reading += 1
      now = undefined
      isSending = false
      message.value = ""
      say("", "")
      drawToggle(undefined)
      if (isChangesOpen()) show(false, { focus: false })
    },
    refresh: () => void refresh()
  }
}
