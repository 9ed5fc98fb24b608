/**
 * Elements are made here: what is handed in becomes text or an attribute, never markup. `h("button.quiet", { on: { click } }, "Copy")`.
 *
 * @typedef {Node | string | undefined | null | false} Child
 * @typedef {{ [Type in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Type]) => void }} Listeners
 * @typedef {{ on?: Listeners } & Record<string, unknown>} Props
 */

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
  element.append(...presentOf(children))
  // The tag of the name is the element's own.
  return /** @type {Made<Name>} */ (element)
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
const presentOf = (children) =>
  /** @type {(Node | string)[]} */ (children.flat().filter((child) => child || child === ""))

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

/** One of the signs at the head of index.html. @param {string} name @param {string} [extra] */
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

/** A fold with the sign that turns. @param {Child[]} summary @param {Child[]} body @param {Props} [props] @param {string} [kind] */
export const fold = (summary, body, props = {}, kind = "") =>
  h(
    /** @type {"details"} */ (`details${kind}`),
    props,
    h("summary", {}, ...summary, icon("chevron", "turn-icon")),
    ...body
  )
