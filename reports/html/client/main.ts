import { startCharts } from "./charts.ts";
import { startCopyButtons } from "./copy.ts";
import { startFilter } from "./filter.ts";
import { startLinks } from "./links.ts";
import { pageData } from "./page.ts";
import { startTimelines } from "./timelines.ts";

// The page shows all of this as text already; the script only makes it easier to use.
const filter = startFilter();
startLinks(filter);
startCopyButtons();
const data = pageData();
startTimelines(data.timelines);
startCharts(data.series);
document.documentElement.dataset["ready"] = "true";
