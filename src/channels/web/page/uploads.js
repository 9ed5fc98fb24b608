/**
 * Files on their way to the server, picked, pasted or dropped: each is sent at once, with its progress, and named by the
 * server's id in the message. What is uploaded is kept for this tab through a reload.
 *
 * @typedef {import("./types.js").FileRow & { key: string, progress?: number | undefined, stop?: () => void }} Upload
 */
import { size } from "./format.js"
import { failureOf, headers, newId, unreachable } from "./server.js"
import { words } from "./words.js"

/** A form's own types are what other pages could send; text is bytes here. @param {File} file */
const typeOf = ({ type }) =>
  /^(?:image|audio|video|application)\/(?!x-www-form-urlencoded)[\w.+-]+$/.test(type)
    ? type
    : "application/octet-stream"

/** `fetch` tells no progress of what it sends. @param {File} file @param {(share: number) => void} onProgress */
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
export const makeUploads = ({ changed, mostBytes }) => {
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
    const upload = {
      key: newId(),
      name: file.name,
      bytes: file.size,
      kind: file.type.startsWith("image/") ? "image" : "document"
    }
    if (file.size > mostBytes()) {
      list = [...list, { ...upload, problem: words.overSize(size(mostBytes())) }]
      return changed()
    }
    const { sent, stop } = sendFile(file, (progress) => update(upload.key, { progress }))
    list = [...list, { ...upload, progress: 0, stop }]
    changed()
    const { fileId, kind, failure } = await sent
    if (failure === "") return
    update(
      upload.key,
      fileId === undefined
        ? { problem: failure ?? words.refused(0), progress: undefined }
        : { fileId, kind: kind ?? upload.kind, progress: undefined }
    )
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
