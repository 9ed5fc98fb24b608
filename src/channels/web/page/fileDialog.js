/**
 * A file of the conversation to look at: an image is drawn on a canvas, text as it is, anything else is downloaded. Nothing of
 * it is ever run or rendered by the browser as a page.
 */
import { button, h } from "./elements.js"
import { exact } from "./exactText.js"
import { size } from "./format.js"
import { download, request } from "./server.js"
import { words } from "./words.js"

const mostText = 256 * 1024
const mostPixels = 2400

/** @param {Blob} blob @param {string} name */
const picture = async (blob, name) => {
  const bitmap = await createImageBitmap(blob)
  const scale = Math.min(1, mostPixels / Math.max(bitmap.width, bitmap.height))
  const canvas = h("canvas", {
    width: bitmap.width * scale,
    height: bitmap.height * scale,
    role: "img",
    "aria-label": name
  })
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** @param {Blob} blob */
const text = async (blob) => {
  const excerpt = await blob.slice(0, mostText).text()
  const isWhole = blob.size <= mostText
  return h(
    "div",
    {},
    h("pre.out", { tabIndex: 0, dir: "auto" }, ...exact(excerpt)),
    isWhole ? null : h("p.soft", {}, words.firstPart(size(mostText)))
  )
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
  if (failure) {
    content.replaceChildren(failure.error)
    return
  }
  const blob = await response.blob()
  const isText = kind !== "image" && !(await blob.slice(0, 4096).text()).includes("\u0000")
  const view = await (kind === "image" ? picture(blob, name) : isText ? text(blob) : Promise.resolve("")).catch(
    () => ""
  )
  content.replaceChildren(view)
}
