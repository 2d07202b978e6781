/** Shows the text in `data-tip` of the element under the pointer. */
export function showTips(drawing: Element, host: HTMLElement): void {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  host.append(tip);
  drawing.addEventListener("pointermove", (event) => {
    if (!(event instanceof PointerEvent) || !(event.target instanceof Element)) return;
    const text = event.target.closest("[data-tip]")?.getAttribute("data-tip");
    tip.hidden = text === null || text === undefined;
    tip.textContent = text ?? "";
    const { left, top, width } = host.getBoundingClientRect();
    const x = Math.min(event.clientX - left + 12, width - tip.offsetWidth - 4);
    tip.style.left = `${String(Math.max(0, x))}px`;
    tip.style.top = `${String(event.clientY - top + 16)}px`;
  });
  drawing.addEventListener("pointerleave", () => (tip.hidden = true));
}
