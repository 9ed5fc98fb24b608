/** A file by its name and size: to look at, to remove, with how far its upload is, or why it was not taken. */
import { button, h, icon } from "./elements.js"
import { exact } from "./exactText.js"
import { size } from "./format.js"
import { words } from "./words.js"

/**
 * @param {import("./types.js").FileRow & { progress?: number | undefined }} file
 * @param {{ show?: () => void, remove?: () => void }} actions
 */
export const fileChip = (file, { show, remove }) => {
  const isOpenable = show !== undefined && file.fileId !== undefined
  const name = isOpenable
    ? button(h("span", { dir: "auto" }, ...exact(file.name)), show, "file-name", {
        "aria-label": words.show(file.name)
      })
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
