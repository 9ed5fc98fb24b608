/**
 * The box for text and files, by conversation; it never moves, locks or loses its text. Enter sends, Alt+Enter queues, and
 * Shift+Enter, or Enter of a touch keyboard, is a new line. Files are uploaded at once; the message has their ids. Text and
 * uploaded files are kept across a reload of the tab.
 *
 * @typedef {import("./types.js").FileRow & { key: string, progress?: number | undefined, stop?: () => void }} Upload
 */
import { byId, tell, visible } from "./elements.js"
import { fileChip } from "./files.js"
import { size } from "./format.js"
import { failureOf, headers, newId, unreachable } from "./server.js"
import { keep, stored } from "./tabMemory.js"
import { words } from "./words.js"

/** The server refuses types that forms of other pages can send. @param {File} file */
const typeOf = ({ type }) =>
  /^(?:image|audio|video|application)\/(?!x-www-form-urlencoded)[\w.+-]+$/.test(type)
    ? type
    : "application/octet-stream"

/** `fetch` reports no progress of uploads. @param {File} file @param {(share: number) => void} onProgress */
const sendFile = (file, onProgress) => {
  const sending = new XMLHttpRequest()
  const sent = new Promise(
    (/** @type {(answer: { fileId?: string, kind?: string, failure?: string }) => void} */ resolve) => {
      sending.open("POST", `./files?name=${encodeURIComponent(file.name)}`)
      for (const [name, value] of Object.entries(headers())) sending.setRequestHeader(name, value)
      sending.setRequestHeader("content-type", typeOf(file))
      sending.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
      sending.addEventListener("error", () => resolve({ failure: unreachable.error }))
      sending.addEventListener("abort", () => resolve({ failure: "" }))
      sending.addEventListener("load", () => {
        if (sending.status >= 300) return resolve({ failure: failureOf(sending.status, sending.responseText).error })
        try {
          resolve(JSON.parse(sending.responseText))
        } catch {
          resolve({ failure: words.refused(sending.status) })
        }
      })
      sending.send(file)
    }
  )
  return { sent, stop: () => sending.abort() }
}

/** @param {{ changed: () => void, mostBytes: () => number }} options */
const makeUploads = ({ changed, mostBytes }) => {
  /** @type {Upload[]} */
  let list = []

  /** @param {string} key */
  const remove = (key) => {
    list.find((each) => each.key === key)?.stop?.()
    list = list.filter((each) => each.key !== key)
    changed()
  }
  /** @param {string} key @param {Partial<Upload>} more */
  const update = (key, more) => {
    list = list.map((each) => (each.key === key ? { ...each, ...more } : each))
    changed()
  }
  /** @param {File} file */
  const add = async (file) => {
    const isImage = file.type.startsWith("image/")
    const upload = { key: newId(), name: file.name, bytes: file.size, kind: isImage ? "image" : "document" }
    if (file.size > mostBytes()) {
      list = [...list, { ...upload, problem: words.overSize(size(mostBytes())) }]
      return changed()
    }
    const { sent, stop } = sendFile(file, (progress) => update(upload.key, { progress }))
    list = [...list, { ...upload, progress: 0, stop }]
    changed()
    const { fileId, kind = upload.kind, failure } = await sent
    if (failure === "") return
    const outcome = fileId === undefined ? { problem: failure ?? words.refused(0) } : { fileId, kind }
    update(upload.key, { ...outcome, progress: undefined })
  }
  return {
    list: () => list,
    remove,
    /** @param {Iterable<File>} files */
    addAll: (files) => {
      for (const file of files) void add(file)
    },
    /** @param {Upload[]} files */
    set: (files) => {
      list = files
      changed()
    },
    isUnderWay: () => list.some(({ progress, problem }) => progress !== undefined && problem === undefined),
    problem: () => list.find(({ problem }) => problem !== undefined)
  }
}

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
    const uploaded = uploads.list().filter(({ fileId }) => fileId !== undefined)
    keep(`draft.${conversation}`, prompt.value)
    keep(`files.${conversation}`, uploaded)
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
    const rows = files.map(({ fileId, name, kind, bytes }) => {
      return { ...(fileId ? { fileId } : {}), ...(kind ? { kind } : {}), name, bytes }
    })
    prompt.value = ""
    uploads.set([])
    send({ text, files: rows, isQueued })
  }

  prompt.enterKeyHint = coarse.matches ? "enter" : "send"
  prompt.addEventListener("input", () => {
    problem.textContent = ""
    save()
  })
  prompt.addEventListener("keydown", (press) => {
    // In an input method Enter accepts a word; a touch keyboard has no other key for a new line.
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
    /** Shows the draft of a conversation. @param {string} id */
    show: (id) => {
      save()
      conversation = id
      prompt.value = stored(`draft.${id}`) ?? ""
      problem.textContent = ""
      uploads.set(stored(`files.${id}`) ?? [])
    },
    /** Appends to the present text. @param {string} text @param {import("./types.js").FileRow[]} [files] */
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
      const placeholder = agent === "" ? "" : words.ask(visible(agent).slice(0, mostOfName))
      if (prompt.placeholder !== placeholder) prompt.placeholder = placeholder
    }
  }
}

/** Attaches files that are dropped anywhere on the page. @param {HTMLElement} target @param {(files: File[]) => void} take */
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
