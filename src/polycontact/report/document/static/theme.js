// Colours and fonts of charts: those of the page, light or dark, and always light on paper.

const COLOURS = {
  light: ["#1f6fb4", "#d9730d", "#2c8a4b", "#c5383c", "#7d5bb0", "#8a5a44", "#c9579f", "#5f6b76", "#9a8c12", "#1598a6"],
  dark: ["#6cb2ff", "#ffab5c", "#6fd08c", "#ff8583", "#bb9df5", "#d0a38c", "#f29bd0", "#b3bec9", "#d9cb58", "#5fd6e3"],
};
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const DASH_ARRAYS = ["", "7 4", "2 3", "8 3 2 3", "12 5", "12 4 2 4"];

const darkScheme = window.matchMedia("(prefers-color-scheme: dark)");
let isPrinting = false;

function isDark() { return darkScheme.matches && !isPrinting; }

function colour(i) {
  const list = isDark() ? COLOURS.dark : COLOURS.light;
  return list[i % list.length];
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function ink(name) {
  const onPaper = { "--ink": "#1d2733", "--grid": "#e6eaee", "--axis": "#8a96a3", "--soft": "#55626f", "--hover": "#ffffff",
    "--line": "#d9dfe5" };
  return isPrinting ? onPaper[name] : css(name);
}

function baseLayout(height, left) {
  return {
    height, autosize: true, showlegend: false, hovermode: "x unified",
    margin: { l: left, r: 16, t: 8, b: 44 },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12.5, color: ink("--ink") },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: ink("--axis"), activecolor: ink("--ink") },
    hoverlabel: { bgcolor: ink("--hover"), bordercolor: ink("--line"), font: { color: ink("--ink"), size: 12 }, namelength: -1 },
  };
}

function axis(title, extra) {
  return Object.assign({
    title: { text: title, font: { size: 12.5, color: ink("--soft") }, standoff: 8 }, gridcolor: ink("--grid"),
    zerolinecolor: ink("--axis"), linecolor: ink("--axis"), tickcolor: ink("--axis"), ticks: "outside", ticklen: 4,
    zeroline: false, showline: true, automargin: false,
  }, extra);
}

const CONFIG = {
  responsive: true, displaylogo: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  toImageButtonOptions: { format: "svg" },
};
