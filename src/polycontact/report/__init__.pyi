from polycontact.report.view.showing import Page as Page
