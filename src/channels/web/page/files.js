/**
 * Files as chips, with progress or problems, and in a dialog: an image is drawn on a canvas, text is shown as it is, anything
 * else is only downloaded. Images of tools are drawn in the same way. The browser never renders a file as a page.
 */
import { button, exact, h, icon } from "./elements.js"
import { size } from "./format.js"
import { download, request } from "./server.js"
import { words } from "./words.js"

/**
 * @param {import("./types.js").FileRow & { progress?: number | undefined }} file
 * @param {{ show?: () => void, remove?: () => void }} actions
 */
export const fileChip = (file, { show, remove }) => {
  const isOpenable = show !== undefined && file.fileId !== undefined
  const label = { "aria-label": words.show(file.name) }
  const name = isOpenable
    ? button(h("span", { dir: "auto" }, ...exact(file.name)), show, "file-name", label)
    : h("span.file-name", { dir: "auto" }, ...exact(file.name))
  const isUnderWay = file.progress !== undefined && file.problem === undefined
  const progress = isUnderWay
    ? h("progress", { max: 1, value: file.progress, "aria-label": words.uploading(file.name) })
    : null
  return h(
    "li.file",
    { "data-problem": file.problem === undefined ? undefined : "true" },
    icon(file.kind === "image" ? "image" : "read"),
    name,
    h("span.soft", {}, file.problem ?? size(file.bytes)),
    progress,
    remove ? button(icon("bad"), remove, "quiet.square.tiny", { "aria-label": words.remove(file.name) }) : null
  )
}

const mostText = 256 * 1024
const mostPixels = 2400

/** @param {Blob} blob @param {string} name */
const picture = async (blob, name) => {
  const bitmap = await createImageBitmap(blob)
  const scale = Math.min(1, mostPixels / Math.max(bitmap.width, bitmap.height))
  const size = { width: bitmap.width * scale, height: bitmap.height * scale }
  const canvas = h("canvas", { ...size, role: "img", "aria-label": name })
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** An image of a tool, or its size where that is all there is. @param {import("./types.js").ToolMedia} image @param {string} name */
export const toolImage = async ({ mediaType, bytes, data }, name) => {
  const note = (/** @type {string} */ content) => h("p.soft.small-text", {}, content)
  if (data === undefined) return note(words.imageLeftOut(size(bytes)))
  try {
    const content = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return await picture(new Blob([content], { type: mediaType }), name)
  } catch {
    return note(words.imageDamaged)
  }
}

/** @param {Blob} blob */
const text = async (blob) => {
  const excerpt = await blob.slice(0, mostText).text()
  const note = blob.size <= mostText ? null : h("p.soft", {}, words.firstPart(size(mostText)))
  return h("div", {}, h("pre.out", { tabIndex: 0, dir: "auto" }, ...exact(excerpt)), note)
}

/** @param {import("./types.js").FileRow} file */
export const showFile = async ({ fileId, name, kind, bytes }) => {
  if (fileId === undefined) return
  const path = `files/${encodeURIComponent(fileId)}`
  const content = h("div.file-content", {}, words.loading)
  const close = button(words.close, () => dialog.close(), "primary")
  const save = button(words.download, () => void download(path, name))
  const dialog = h(
    "dialog.file-view",
    { "aria-label": name },
    h("h2", { dir: "auto" }, ...exact(name), h("span.soft", {}, ` ${size(bytes)}`)),
    content,
    h("div.buttons", {}, close, save)
  )
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  const { response, failure } = await request(path)
  if (failure) return content.replaceChildren(failure.error)
  const blob = await response.blob()
  const isText = kind !== "image" && !(await blob.slice(0, 4096).text()).includes("\u0000")
  const view = kind === "image" ? picture(blob, name) : isText ? text(blob) : Promise.resolve("")
  content.replaceChildren(await view.catch(() => ""))
}
