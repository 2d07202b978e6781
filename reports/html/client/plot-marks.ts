import type uPlot from "uplot";
import type { LoadWindow } from "../../model.ts";
import { colour } from "./page.ts";

/** Shades the windows in turn in two colours, with a line where each begins. */
export function backdrop(windows: readonly LoadWindow[]): uPlot.Plugin {
  return {
    hooks: {
      drawClear: (plot) => {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        for (const [at, { fromMs, toMs }] of windows.entries()) {
          const x = plot.valToPos(fromMs / 1000, "x", true);
          const end = plot.valToPos(toMs / 1000, "x", true);
          ctx.fillStyle = colour(at % 2 === 0 ? "window" : "window-other");
          ctx.fillRect(x, bbox.top, end - x, bbox.height);
          ctx.fillStyle = colour("line");
          ctx.fillRect(x, bbox.top, 1, bbox.height);
        }
        ctx.restore();
      },
    },
  };
}

/** Draws a horizontal line at a value, with its name. */
export function levelLine(value: number, scale: string, name: string): uPlot.Plugin {
  return {
    hooks: {
      draw: (plot) => {
        const { ctx, bbox } = plot;
        const y = plot.valToPos(value, scale, true);
        const ratio = devicePixelRatio;
        ctx.save();
        ctx.fillStyle = colour("fail");
        ctx.fillRect(bbox.left, y, bbox.width, ratio);
        ctx.font = `${String(11 * ratio)}px system-ui, sans-serif`;
        ctx.textAlign = "right";
        ctx.fillText(name, bbox.left + bbox.width - 4 * ratio, y - 4 * ratio);
        ctx.restore();
      },
    },
  };
}
