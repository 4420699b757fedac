"""What is said of a plan that was checked: what each changed line is for, what can be left out, all of it in words."""
