/**
 * The box: what is typed and attached, by conversation; it never moves, locks or loses what was typed. Enter sends, Alt+Enter
 * queues, Shift+Enter is a new line; on a touch keyboard Enter is a new line.
 */
import { tell } from "./announce.js"
import { byId } from "./elements.js"
import { visible } from "./exactText.js"
import { fileChip } from "./fileChip.js"
import { keep, kept } from "./tabMemory.js"
import { makeUploads } from "./uploads.js"
import { words } from "./words.js"

const mostOfName = 40

/** @typedef {{ text: string, files: import("./types.js").FileRow[], isQueued: boolean }} Written */

/** @param {{ send: (written: Written) => void, limits: () => { text: number, uploadBytes: number } }} options */
export const makeComposer = ({ send, limits }) => {
  const prompt = byId("prompt", "textarea")
  const list = byId("files", "ul")
  const form = byId("compose", "form")
  const problem = byId("problem", "p")
  const coarse = matchMedia("(pointer: coarse)")
  let conversation = ""

  const save = () => {
    keep(`draft.${conversation}`, prompt.value)
    keep(
      `files.${conversation}`,
      uploads.list().filter(({ fileId }) => fileId !== undefined)
    )
  }
  const drawFiles = () => {
    const chips = uploads.list().map((file) => fileChip(file, { remove: () => uploads.remove(file.key) }))
    list.hidden = chips.length === 0
    list.replaceChildren(...chips)
    problem.textContent = ""
    save()
  }
  const uploads = makeUploads({ changed: drawFiles, mostBytes: () => limits().uploadBytes })

  /** @param {string} text */
  const refuse = (text) => {
    problem.textContent = text
    tell(text, true)
  }
  /** @param {boolean} isQueued */
  const submit = (isQueued) => {
    const text = prompt.value.trim()
    const files = uploads.list()
    if (text === "" && files.length === 0) return
    const over = text.length - limits().text
    if (over > 0) return refuse(words.tooLong(over))
    if (uploads.isUnderWay()) return refuse(words.stillUploading)
    const bad = uploads.problem()
    if (bad) return refuse(words.removeFirst(bad.name))
    const rows = files.map(({ fileId, name, kind, bytes }) => ({
      ...(fileId ? { fileId } : {}),
      ...(kind ? { kind } : {}),
      name,
      bytes
    }))
    prompt.value = ""
    uploads.set([])
    send({ text, files: rows, isQueued })
  }

  prompt.enterKeyHint = coarse.matches ? "enter" : "send"
  prompt.placeholder = ""
  prompt.addEventListener("input", () => {
    problem.textContent = ""
    save()
  })
  prompt.addEventListener("keydown", (press) => {
    // While an input method composes, Enter takes its word; on a touch keyboard there is no other key for a new line.
    if (press.key !== "Enter" || press.isComposing || press.shiftKey || (coarse.matches && !press.altKey)) return
    press.preventDefault()
    submit(press.altKey)
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    submit(false)
    prompt.focus()
  })
  byId("queue", "button").addEventListener("click", () => {
    submit(true)
    prompt.focus()
  })

  const picker = byId("picker", "input")
  byId("attach", "button").addEventListener("click", () => picker.click())
  picker.addEventListener("change", () => {
    uploads.addAll([...(picker.files ?? [])])
    picker.value = ""
    prompt.focus()
  })
  prompt.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    uploads.addAll(files)
  })
  dropping(form, (files) => uploads.addAll(files))

  return {
    /** Shows what was written for this conversation. @param {string} id */
    show: (id) => {
      save()
      conversation = id
      prompt.value = kept(`draft.${id}`) ?? ""
      problem.textContent = ""
      uploads.set(kept(`files.${id}`) ?? [])
    },
    /** What is there already is kept before it. @param {string} text @param {import("./types.js").FileRow[]} [files] */
    put: (text, files = []) => {
      prompt.value = [prompt.value, text].filter((each) => each !== "").join("\n")
      if (files.length > 0)
        uploads.set([...uploads.list(), ...files.map((file) => ({ ...file, key: file.fileId ?? file.name }))])
      save()
      prompt.focus()
    },
    focus: () => prompt.focus(),
    /** @param {string} agent */
    ask: (agent) => {
      const asked = agent === "" ? "" : words.ask(visible(agent).slice(0, mostOfName))
      if (prompt.placeholder !== asked) prompt.placeholder = asked
    }
  }
}

/** Files that are dragged over the page are dropped on the box. @param {HTMLElement} target @param {(files: File[]) => void} take */
const dropping = (target, take) => {
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") === true
  const over = (/** @type {boolean} */ is) => target.classList.toggle("dropping", is)
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    over(true)
  })
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false)
  })
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    over(false)
    take([...(event.dataTransfer?.files ?? [])])
  })
}
