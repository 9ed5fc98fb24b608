/**
 * Makes elements, such as `h("button.quiet", { on: { click } }, "Copy")`: input becomes text or an attribute, never markup.
 * Shows texts of others exactly, and announces texts to screen readers.
 *
 * @typedef {Node | string | undefined | null | false} Child
 * @typedef {{ [Type in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Type]) => void }} Listeners
 * @typedef {{ on?: Listeners } & Record<string, unknown>} Props
 */
import { words } from "./words.js"

/**
 * @template {string} Name
 * @typedef {Name extends `${infer Tag extends keyof HTMLElementTagNameMap}.${string}` ? HTMLElementTagNameMap[Tag] : Name extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Name] : HTMLElement} Made
 */

/**
 * @template {string} Name
 * @param {Name} name the tag, then classes
 * @param {Props} [props] properties and attributes; undefined, null and false leave one out
 * @param {...(Child | Child[])} children strings become text
 * @returns {Made<Name>}
 */
export const h = (name, props = {}, ...children) => {
  const [tag = "div", ...classes] = name.split(".")
  const element = document.createElement(tag)
  if (classes.length > 0) element.className = classes.join(" ")
  const { on = {}, ...rest } = props
  for (const [type, listener] of Object.entries(on)) {
    if (listener) element.addEventListener(type, /** @type {EventListener} */ (listener))
  }
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === false || value === null) continue
    if (key in element) Reflect.set(element, key, value)
    else element.setAttribute(key, value === true ? "" : String(value))
  }
  element.append(.../** @type {(Node | string)[]} */ (children.flat().filter((child) => child || child === "")))
  // The name begins with the tag.
  return /** @type {Made<Name>} */ (element)
}

/**
 * The element of the page with this id.
 * @template {keyof HTMLElementTagNameMap} [Tag="div"]
 * @param {string} id
 * @param {Tag} [_tag] for the checker
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const byId = (id, _tag) => {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no #${id} in the page`)
  // index.html has these elements with these tags.
  return /** @type {HTMLElementTagNameMap[Tag]} */ (element)
}

const svgNames = "http://www.w3.org/2000/svg"

/** One of the symbols of index.html. @param {string} name @param {string} [extra] */
export const icon = (name, extra = "") => {
  const svg = document.createElementNS(svgNames, "svg")
  svg.setAttribute("class", `icon ${extra}`)
  svg.setAttribute("aria-hidden", "true")
  const part = document.createElementNS(svgNames, "use")
  part.setAttribute("href", `#i-${name}`)
  svg.append(part)
  return svg
}

/** Read by screen readers alone. @param {string} text */
export const unseen = (text) => h("span.vh", {}, text)

/**
 * @param {Child} label
 * @param {(event: MouseEvent) => void} click
 * @param {string} [kind] its classes
 * @param {Props} [props]
 */
export const button = (label, click, kind = "plain", props = {}) =>
  h(/** @type {"button.plain"} */ (`button.${kind}`), { type: "button", ...props, on: { click } }, label)

/** A foldable part. @param {Child[]} summary @param {Child[]} body @param {Props} [props] @param {string} [kind] */
export const fold = (summary, body, props = {}, kind = "") =>
  h(
    /** @type {"details"} */ (`details${kind}`),
    props,
    h("summary", {}, ...summary, icon("chevron", "turn-icon")),
    ...body
  )

/** Controls, bidi marks, zero-width and tag characters. */
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e01ef}]/gu

/** A text with invisible characters as numbers, since people decide by it. @param {string} text @returns {(string | HTMLElement)[]} */
export const exact = (text) => {
  const nodes = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(invisible)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
    nodes.push(text.slice(from, index), h("span.control", { title: words.invisible }, `U+${code}`))
    from = index + character.length
  }
  return [...nodes, text.slice(from)]
}

/** A text without invisible characters, for attributes. @param {string} text */
export const visible = (text) => text.replace(invisible, "")

/** An exact text, with code between backticks. @param {string} text */
export const withCode = (text) =>
  text
    .split(/`([^`\n]+)`/)
    .flatMap((part, index) => (index % 2 === 0 ? exact(part) : h("code", { dir: "ltr" }, ...exact(part))))

/** An exact output of a terminal, without colours. @param {string} text */
export const output = (text) => exact(text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\r\n/g, "\n"))

let quiet = true

/** Silences announcements, while rows are replayed. @param {boolean} is */
export const setQuiet = (is) => {
  quiet = is
}
export const isQuiet = () => quiet

const longest = 1000
const gatherMs = 50
/** @type {Map<string, string[]>} pending announcements by region */
const gathered = new Map()

/** Announces a text; simultaneous texts are joined. @param {string} text @param {boolean} [urgent] interrupts the current announcement */
export const tell = (text, urgent = false) => {
  if (quiet || text === "") return
  const id = urgent ? "urgent" : "polite"
  const more = gathered.get(id)
  if (more) return void more.push(text)
  const texts = [text]
  gathered.set(id, texts)
  const region = byId(id)
  region.textContent = ""
  // An equal text is announced again only if the region was empty in between.
  setTimeout(() => {
    gathered.delete(id)
    region.textContent = texts.map((each) => each.slice(0, longest)).join("\n")
  }, gatherMs)
}

/** Spinner and text, while an action is sent. */
export const sendingNote = () => [h("span.spin", { "aria-hidden": "true" }), h("span.soft", {}, words.deciding)]

/** A scrollable text. @param {string} label @param {Child[]} content */
export const outputRegion = (label, content) =>
  h("pre.out", { tabIndex: 0, role: "region", "aria-label": label }, ...content)

/** @param {string | (() => string)} text @param {string} what */
export const copyButton = (text, what) => {
  const self = h("button.quiet.square.copy", { type: "button", "aria-label": words.copy(what) }, icon("copy"))
  self.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "function" ? text() : text)
      self.replaceChildren(icon("ok"))
      tell(words.copied)
    } catch {
      self.replaceChildren(icon("bad"))
      tell(words.copyRefused, true)
    }
    setTimeout(() => self.replaceChildren(icon("copy")), 1500)
  })
  return self
}
