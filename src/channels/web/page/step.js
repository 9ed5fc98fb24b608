/** One step of an agent as one line, with its details folded. Failed steps and small changes are open. */
import { changeNote, changesOf, diffView, sumOf, tally } from "./diff.js"
import { button, copyButton, exact, fold, h, icon, output, unseen, visible } from "./elements.js"
import { toolImage } from "./files.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").ToolUse} ToolUse */
/** @typedef {import("./types.js").ToolResult & { cut?: boolean }} ToolResult */

const smallChange = 16
/** Last lines of an output, which usually show the result. */
const lastLines = 14
const longTitle = 60

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

/** @param {unknown} input @param {string} name */
const textIn = (input, name) => (isRecord(input) && typeof input[name] === "string" ? input[name] : undefined)

/** @param {readonly import("./types.js").FileEdit[]} edits */
const verbOf = (edits) => {
  if (edits.length === 0) return words.verbs["file_change"] ?? ""
  if (edits.every(({ before, after }) => before === undefined && after === undefined)) return words.move
  if (edits.every(({ after }) => after === undefined)) return words.removeFile
  return edits.every(({ before }) => before === undefined) ? words.create : (words.verbs["file_change"] ?? "")
}

/** Removes the working directory from a path. @param {string} path @param {string | undefined} directory */
const shortPath = (path, directory) =>
  directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path

/** @param {readonly import("./types.js").FileEdit[]} edits @param {string | undefined} directory */
const diffsOf = (edits, directory) =>
  changesOf(edits).flatMap((change) => {
    const path = shortPath(change.edit.path, directory)
    const note = [edits.length > 1 ? path : "", changeNote(change)].filter((each) => each !== "").join(" · ")
    return [
      ...(note === "" ? [] : [h("p.soft.small-text", { dir: "ltr" }, ...exact(note))]),
      ...(change.lines.length === 0 ? [] : [diffView(path, change.lines)])
    ]
  })

/** @param {ToolUse} event @param {string | undefined} directory where the agent works */
export const makeStep = (event, directory) => {
  const { kind = "other", toolId, input, edits = [] } = event
  const title = shortPath(event.title ?? event.toolName, directory)
  const changes = changesOf(edits)
  const sum = sumOf(changes)
  const isChange = changes.length > 0
  const side = h("span.side", {}, isChange ? tally(sum) : null)
  const verb = kind === "file_change" ? verbOf(edits) : (words.verbs[kind] ?? words.verbs["other"])
  const label = h("span.label", {}, h("span.verb", {}, verb), " ", h("span.what", { dir: "ltr" }, ...exact(title)))
  const stateText = unseen(words.stepStates["running"] ?? "")
  const body = h("div.step-body")
  const details = fold([label, side, stateText], [body])
  const name = /** @type {"li.step"} */ (`li.step.k-${kind}`)
  const item = h(name, { "data-state": "running" }, h("span.mark", {}, icon(kind)), details)
  const step = {
    ...{ toolId, kind, title, item, details, body, side, ...sum, edits },
    state: "running",
    /** Numbers of changed lines, by path. @returns {[path: string, sum: { added: number, removed: number }][]} */
    sums: () => changesOf(step.edits).map((change) => [shortPath(change.edit.path, directory), sumOf([change])]),
    /** @type {HTMLElement | undefined} the steps of a sub-agent */
    list: undefined,
    /** @type {HTMLElement | undefined} the text of a sub-agent */
    text: undefined,
    /** @param {string} state */
    setState: (state) => {
      step.state = state
      item.dataset["state"] = state
      stateText.textContent = words.stepStates[state] ?? state
    }
  }
  if (isChange) {
    body.append(...diffsOf(edits, directory))
    details.open = sum.added + sum.removed <= smallChange
  } else if (kind === "command") {
    const command = textIn(input, "command") ?? title
    if (command !== title || title.length > longTitle || title.includes("\n")) {
      const pre = h("pre.wrapped", { dir: "ltr" }, ...exact(command))
      body.append(h("div.command", {}, pre, copyButton(command, words.things.command)))
    }
  } else if (kind === "mcp" || kind === "other") {
    if (isRecord(input)) body.append(h("pre.wrapped", { dir: "ltr" }, ...exact(JSON.stringify(input, null, 2))))
  } else if (title.length > longTitle) body.append(h("pre.wrapped", { dir: "ltr" }, ...exact(title)))
  return step
}

/** @typedef {ReturnType<typeof makeStep>} Step */

/** @param {ToolResult} event @param {Step} step */
const outputView = (event, step) => {
  const text = event.output.trimEnd()
  if (text === "") return []
  const lines = text.split("\n")
  const pre =
    step.kind === "subagent"
      ? h("div.said", { dir: "auto" })
      : h("pre.out", { tabIndex: 0, dir: "auto", role: "region", "aria-label": words.output })
  pre.replaceChildren(...output(lines.slice(-lastLines).join("\n")))
  const all = (/** @type {MouseEvent} */ press) => {
    pre.replaceChildren(...output(text))
    if (press.currentTarget instanceof Element) press.currentTarget.remove()
    pre.focus({ preventScroll: true })
  }
  const hidden = lines.length - lastLines
  const more = hidden > 0 ? [button(words.earlierLines(hidden), all, "quiet.small")] : []
  return [...more, pre, ...(event.cut ? [h("p.soft.small-text", {}, words.cutOff)] : [])]
}

/** Images are drawn when the step is open, since a drawn one takes megabytes. @param {Step} step @param {ToolResult} event */
const addImages = ({ title, body, details, side }, { media = [] }) => {
  if (media.length === 0) return
  side.prepend(icon("image"), unseen(words.images(media.length)))
  const places = media.map((image) => ({ image, place: h("div.shot", {}, words.loading) }))
  body.append(...places.map(({ place }) => place))
  const draw = () => {
    if (!details.open) return
    details.removeEventListener("toggle", draw)
    for (const { image, place } of places) {
      void toolImage(image, words.imageOf(visible(title))).then((view) => place.replaceChildren(view))
    }
  }
  details.addEventListener("toggle", draw)
  draw()
}

/** @param {Step} step @param {ToolResult} event @param {string | undefined} directory */
export const settleStep = (step, event, directory) => {
  const { isError, exitCode, edits = [] } = event
  step.setState(isError ? "failed" : "done")
  if (isError) {
    const content = exitCode === undefined ? (words.stepStates["failed"] ?? "") : words.exit(exitCode)
    step.side.append(h("span.failed", {}, content))
  }
  // Some CLIs report the change only with the result.
  if (edits.length > 0 && step.edits.length === 0) {
    const sum = sumOf(changesOf(edits))
    Object.assign(step, sum, { edits })
    step.side.prepend(tally(sum))
    step.body.append(...diffsOf(edits, directory))
    step.details.open = sum.added + sum.removed <= smallChange
  }
  if (step.kind === "file_change" && !isError && step.edits.length > 0) return
  step.body.append(...outputView(event, step))
  addImages(step, event)
  if (isError) step.details.open = true
}
