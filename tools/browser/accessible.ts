/**
 * Automatic checks of a page: names of what is operated, from Chromium's own tree; contrast from the colours
 * that are computed; scrolling sideways; the size of targets. Each gives what is wrong, in words.
 */
import type { Page } from "./page.ts"

const operated = new Set([
  "button",
  "link",
  "textbox",
  "searchbox",
  "combobox",
  "checkbox",
  "radio",
  "progressbar",
  "region",
  "log",
  "navigation",
  "dialog",
  "form",
  "article",
  "complementary",
  "img",
  "DisclosureTriangle",
  "group"
])

interface Node {
  readonly ignored: boolean
  readonly role?: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly description?: { readonly value: string }
}

/** Controls and landmarks, by role and name, in the order of the page. */
export const controls = async (
  page: Page
): Promise<ReadonlyArray<{ readonly role: string; readonly name: string }>> => {
  const { nodes } = (await page.send("Accessibility.getFullAXTree")) as { readonly nodes: ReadonlyArray<Node> }
  return nodes
    .filter(({ ignored, role }) => !ignored && operated.has(role?.value ?? ""))
    .map(({ role, name }) => ({ role: role?.value ?? "", name: name?.value ?? "" }))
    .filter(({ role }) => role !== "group")
}

export const nameless = async (page: Page): Promise<ReadonlyArray<string>> =>
  (await controls(page)).filter(({ name }) => name.trim() === "").map(({ role }) => `${role} without a name`)

const colours = `
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
  const known = new Map()
  const colour = (text) => {
    if (known.has(text)) return known.get(text)
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = text
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
    const made = [r, g, b, a / 255]
    known.set(text, made)
    return made
  }
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1]
  const behind = (element) => {
    const layers = []
    for (let each = element; each; each = each.parentElement) layers.unshift(colour(getComputedStyle(each).backgroundColor))
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255, 1])
  }
  const light = ([r, g, b]) => {
    const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
  }
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a)
    return (high + 0.05) / (low + 0.05)
  }
  const opacity = (element) => element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest(".vh")
  const nameOf = (element) => element.tagName.toLowerCase() + "." + element.className + " “" + element.textContent.trim().slice(0, 40) + "”"
`

/** Text below 4.5 : 1, and edges of what is operated below 3 : 1. */
export const lowContrast = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    ${colours}
    const wrong = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const seen = new Set()
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement
      if (walker.currentNode.data.trim() === "" || seen.has(element) || !isSeen(element)) continue
      seen.add(element)
      const back = behind(element)
      const [r, g, b, a] = colour(getComputedStyle(element).color)
      const found = ratio(over([r, g, b, a * opacity(element)], back), back)
      if (found < 4.5) wrong.push(found.toFixed(2) + " : 1 " + nameOf(element))
    }
    for (const element of document.querySelectorAll(".plain, .compose, .search, .card textarea, .rename input")) {
      if (!isSeen(element)) continue
      const back = behind(element.parentElement)
      const found = ratio(over(colour(getComputedStyle(element).borderTopColor), back), back)
      if (found < 3 && !element.matches(".suggestions *")) wrong.push("edge " + found.toFixed(2) + " : 1 " + nameOf(element))
    }
    return wrong
  })()`)

/** Elements wider than the page, where nothing scrolls them. */
export const sideways = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const width = document.documentElement.clientWidth
    const wrong = document.documentElement.scrollWidth > width ? ["the page scrolls sideways"] : []
    const main = document.querySelector("main")
    if (main.scrollWidth > main.clientWidth) wrong.push("the conversation scrolls sideways")
    const isClipped = (element) => {
      for (let each = element.parentElement; each && each !== main; each = each.parentElement)
        if (getComputedStyle(each).overflowX !== "visible") return true
      return false
    }
    for (const select of document.querySelectorAll(".pick select"))
      if (select.getBoundingClientRect().width > select.parentElement.getBoundingClientRect().width + 1) wrong.push("the words of #" + select.id + " stand under their arrow")
    for (const element of document.querySelectorAll("main *, .foot *, .bar *")) {
      const { left, right, width: own } = element.getBoundingClientRect()
      if (own > 0 && (right > width + 1 || left < -1) && !element.closest(".vh, svg") && !isClipped(element)) wrong.push(element.tagName + "." + element.className + " from " + left + " to " + right)
    }
    return wrong
  })()`)

/** Targets below so many px in one direction; what takes presses around it counts with its surroundings. */
export const small = (page: Page, least: number): Promise<ReadonlyArray<string>> =>
  page.evaluate(`[...document.querySelectorAll("button, select, summary, .conversations a, .choice")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !each.closest(".vh"))
    .map((each) => {
      const { width, height } = each.getBoundingClientRect()
      const around = getComputedStyle(each, "::after")
      const isTaken = around.content !== "none" && around.position === "absolute" && each.matches("button")
      return [each, Math.max(width, isTaken ? parseFloat(around.width) : 0), Math.max(height, isTaken ? parseFloat(around.height) : 0), width]
    })
    .filter(([each, width, height, drawn]) => drawn > 0 && (height < ${least} - 0.5 || (width < ${least} - 0.5 && !each.matches("select"))))
    .map(([each, width, height]) => each.className + " “" + each.textContent.slice(0, 30) + "” " + width + " × " + height)`)
